import { expect, test } from 'vitest';
import { createTalkLimits } from '../../src/talks/talk-limits.ts';

/** What strangers may do in a minute. */

const LIMITED = { code: 'rate_limited' };

test('so many talks of one thing and address begin', async () => {
  const { begin } = createTalkLimits();
  for (let i = 0; i < 3; i += 1) await begin('a chat', '192.0.2.1', 3);
  await expect(begin('a chat', '192.0.2.1', 3)).rejects.toMatchObject(LIMITED);
  await begin('a voice', '192.0.2.1', 1);
  await begin('a chat', '192.0.2.2', 1);
});

test('600 tokens are asked for from one address, apart from what begins', async () => {
  const { ask, begin } = createTalkLimits();
  for (let i = 0; i < 600; i += 1) await ask('192.0.2.1');
  await expect(ask('192.0.2.1')).rejects.toMatchObject(LIMITED);
  await ask('192.0.2.2');
  await begin('a chat', '192.0.2.1', 1);
});

test('a talk goes on in 30 windows a minute, from whatever address', async () => {
  const { resume } = createTalkLimits();
  for (let i = 0; i < 30; i += 1) await resume('one');
  await expect(resume('one')).rejects.toMatchObject(LIMITED);
  await resume('other');
});
