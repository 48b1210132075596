import { expect, test } from 'vitest';
import { createTalkLimits } from '../../src/talks/talk-limits.ts';
import { holdTime } from '../clock.ts';

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

test('30 talks a minute are opened with one token', async () => {
  const { start } = createTalkLimits();
  for (let i = 0; i < 30; i += 1) await start('one');
  await expect(start('one')).rejects.toMatchObject({
    ...LIMITED,
    retryAfterSec: expect.any(Number),
  });
  await start('other');
});

test('twenty messages at once are allowed with a token, however many sockets send them', async () => {
  holdTime();
  const { messagesOf } = createTalkLimits();
  for (let i = 0; i < 20; i += 1) {
    const messages = messagesOf('one');
    expect(messages.allows('Hi')).toBe(true);
    messages.add('Hi', undefined);
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(messagesOf('one').allows('Hi')).toBe(false);
  expect(messagesOf('other').allows('Hi')).toBe(true);
});
