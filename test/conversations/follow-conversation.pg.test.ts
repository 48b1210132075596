import { beforeAll, expect, test } from 'vitest';
import { holdTime } from '../clock.ts';
import { shareConversationFixture, type ConversationFixture } from './conversation-setup.ts';
import { openSse, type SseReader } from './turns/sse.ts';

/** `GET /v1/conversations/{id}/events` (contract/messages.md#following). */

let fixture: ConversationFixture;

beforeAll(async () => {
  fixture = await shareConversationFixture();
});

const follow = (id: string, query = '', headers = {}): Promise<SseReader> =>
  openSse(`${fixture.url}/v1/conversations/${id}/events${query}`, { key: fixture.key, headers });

test('every turn once and in order, each status, and the end', async () => {
  const id = await fixture.start();
  const reader = await follow(id);
  expect(await reader.next()).toMatchObject({ event: 'conversation', data: { status: 'active' } });
  await fixture.say(id, 'How long does delivery take?');
  expect(await reader.next()).toMatchObject({ event: 'turn', id: '0', data: { role: 'user' } });
  expect(await reader.next()).toMatchObject({ event: 'turn', id: '1', data: { role: 'agent' } });
  await fixture.say(id, 'I want a human');
  expect(await reader.next()).toMatchObject({ id: '2' });
  expect(await reader.next()).toMatchObject({ id: '3' });
  expect(await reader.next()).toMatchObject({
    event: 'conversation',
    data: { status: 'escalated' },
  });
  await fixture.end(id);
  expect(await reader.rest()).toMatchObject([{ event: 'conversation', data: { status: 'ended' } }]);
});

test('a reader that comes back goes on where it was, or at the beginning', async () => {
  const id = await fixture.start();
  for (const text of ['Hello', 'Hello again', 'Hello once more']) await fixture.say(id, text);
  await fixture.end(id);
  const idsOf = async (reader: SseReader): Promise<unknown[]> =>
    (await reader.rest()).map((one) => one.id ?? one.data.status);
  expect(await idsOf(await follow(id))).toEqual(['ended']);
  expect(await idsOf(await follow(id, '?last_event_id=3'))).toEqual(['4', '5', 'ended']);
  // The header is newer than the address.
  const headers = { 'last-event-id': '4' };
  expect(await idsOf(await follow(id, '?last_event_id=-1', headers))).toEqual(['5', 'ended']);
  const all = await idsOf(await follow(id, '?last_event_id=-1'));
  expect(all).toEqual(['0', '1', '2', '3', '4', '5', 'ended']);
});

test('a turn is told at once, not when somebody polls', async () => {
  const id = await fixture.start();
  holdTime(); // Nobody polls.
  const reader = await follow(id);
  await reader.next();
  await fixture.say(id, 'Hello');
  expect(await reader.next()).toMatchObject({ event: 'turn', id: '0' });
  reader.close();
});

test('who may not read it, or asks for what is none, is told before a stream begins', async () => {
  const id = await fixture.start();
  const foreign = await fixture.newKey('elsewhere');
  const url = `${fixture.url}/v1/conversations/${id}/events`;
  expect((await openSse(url, { key: foreign })).status).toBe(404);
  expect((await follow(id, '?last_event_id=-2')).status).toBe(400);
  expect((await follow(id, '', { 'last-event-id': 'evt_1' })).status).toBe(400);
});

test('an erased conversation is over for who follows it', async () => {
  const id = await fixture.start();
  const reader = await follow(id);
  await reader.next();
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  expect(await reader.rest()).toMatchObject([{ event: 'error', data: { code: 'not_found' } }]);
});
