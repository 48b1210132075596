import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { startRole } from '../roles/parley-process.ts';
import { toUuid } from '../../src/ids.ts';
import { until } from '../calls/passing-time.ts';
import { GREETING, startTalkFixture, type TalkFixture } from './talk-setup.ts';

/**
 * A process that holds talks is killed. A visitor who comes back within ten seconds continues in another one; else the
 * talk by voice ends as failed when the lease of its line has run out, once and with all its events.
 */

let talks: TalkFixture;
beforeAll(async () => {
  talks = await startTalkFixture();
});
afterAll(() => talks?.stop());

test('visitors of a process that is killed go on in another, or have their talk ended', async () => {
  const port = await freePort();
  const victim = await startRole('api', {
    databaseUrl: talks.api.engine.databaseUrl,
    env: {
      PARLEY_PORT: String(port),
      PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      PARLEY_EGRESS_ALLOW: '127.0.0.0/8',
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const chat = await talks.visit({ url });
  const [stays, leaves] = await Promise.all([
    talks.visit({ url, mode: 'voice' }),
    talks.visit({ url, mode: 'voice' }),
  ]);
  await Promise.all([stays.heardWhole(GREETING), leaves.heardWhole(GREETING)]);
  chat.write('How do I cancel?');
  await chat.gets('turn', { index: 2 });
  await victim.kill();
  expect(await Promise.all([chat, stays, leaves].map(({ closed }) => closed))).toEqual([
    1006, 1006, 1006,
  ]);
  // The ten seconds must not pass while a busy machine is at it.
  await talks.api.engine.pool.query(
    `update calls set line_until = line_until + interval '1 h' where conversation_id = $1`,
    [toUuid('conv', stays.conversationId())],
  );

  const again = await talks.visit({ mode: 'voice', resume: stays.resume() });
  again.write('Are you there?');
  await again.gets('turn', { index: 2 });
  const more = await talks.visit({ resume: chat.resume() });
  more.write('And how much is it?');
  await more.gets('turn', { index: 4 });
  expect(more.turns()[1]).toBe('user: How do I cancel?');

  const left = leaves.conversationId();
  await talks.api.engine.pool.query(
    `update calls set line_until = line_until - interval '10 s' where conversation_id = $1`,
    [toUuid('conv', left)],
  );
  const call = await until('the other to be ended', async () => {
    const { data } = await talks.read(`/v1/calls?conversation_id=${left}`);
    return data[0].ended_at !== null && data[0];
  });
  expect(call).toMatchObject({ status: 'failed', ended_reason: 'platform_error' });
  await until('all events', async () => (await talks.events(left)).length >= 3);
  expect(await talks.events(left)).toEqual([
    'conversation.started',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
  const kept = (await talks.read(`/v1/calls?conversation_id=${stays.conversationId()}`)).data;
  expect(kept).toMatchObject([{ status: 'in_progress' }]);
  await Promise.all([again.close(), more.close()]);
}, 90_000);
