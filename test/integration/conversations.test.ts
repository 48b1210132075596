import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTalk, type Talk } from './conversation-setup.ts';

let talk: Talk;
beforeAll(async () => {
  talk = await startTalk();
});
afterAll(() => talk.stop());

test('start, ask, end: every step is told, in order', async () => {
  const id = await talk.start({ user_id: 'u-1' });
  const { status, body } = await talk.say(id, 'How long does delivery take?');
  expect(status).toBe(200);
  expect(body.turns.map(({ role }: { role: string }) => role)).toEqual(['user', 'agent']);
  expect(body.turns[1].text).toContain('three working days');
  expect(body.turns[1].retrieval).toMatchObject({ query: 'How long does delivery take?' });
  const ended = await talk.end(id);
  expect(ended.body).toMatchObject({ status: 'ended', outcome: 'resolved' });
  expect(await talk.eventTypes(id)).toEqual([
    'conversation.started',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
});
