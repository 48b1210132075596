import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { createDisturb, type Disturb } from '../platform/postgres/disturb.ts';
import type { Reply } from '../roles/api/api-setup.ts';

/** Lines of an act of every day: an erasure. What is done with keys is in test/access. */

let fixture: ConversationFixture;
let disturb: Disturb;
beforeAll(async () => {
  // Failures are tried here.
  fixture = await startConversationFixture({ log: pino({ level: 'silent' }) });
  disturb = await createDisturb(fixture.engine.pool, { table: 'conversations', at: 'commit' });
});
afterAll(() => fixture?.stop());

const erase = (id: string): Promise<Reply> => fixture.call('DELETE', `/v1/conversations/${id}`);
const lines = async (query = ''): Promise<Reply['body'][]> => {
  const { status, body } = await fixture.call('GET', `/v1/audit_log?limit=100${query}`);
  expect(status).toBe(200);
  return body.data;
};
/** Of conversations: the fixture's agent has a line too. */
const targets = async (query = ''): Promise<string[]> =>
  (await lines(query)).map(({ target }) => target).filter((id) => id.startsWith('conv_'));

test('a line says who did what to what by which request; the newest is the first', async () => {
  const [one, two] = [await fixture.start(), await fixture.start()];
  await erase(one);
  const { headers } = await erase(two);
  expect(await targets()).toEqual([two, one]);
  const [line] = await lines();
  expect(line).toEqual({
    id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
    created: expect.any(Number),
    actor: expect.stringMatching(/^api:key_[0-9a-z]{26}$/),
    action: 'conversation.erased',
    target: two,
    before: null,
    after: null,
    detail: { events: 'deliver' },
    outcome: 'done',
    address: '127.0.0.1',
    user_agent: 'node',
    request_id: headers.get('request-id'),
    session_id: null,
  });
  expect(Math.abs(line.created - Date.now() / 1_000)).toBeLessThan(60);
});

test('is found by what was done and by whom', async () => {
  const id = await fixture.start();
  await erase(id);
  const [{ actor, action }] = await lines();
  expect(await targets(`&action=${action}&actor=${actor}`)).toContain(id);
  expect(await targets('&action=api_key.deleted')).toEqual([]);
  expect(await targets('&actor=cli')).toEqual([]);
  expect(await targets(`&target=${id}`)).toEqual([id]);
});

test('is of the own namespace alone', async () => {
  const id = await fixture.start();
  await erase(id);
  const key = await fixture.newKey('other');
  const { status, body } = await fixture.call('GET', '/v1/audit_log', { key });
  expect([status, body.data]).toEqual([200, []]);
});

test('a second asked for begins with it and ends before the next', async () => {
  const id = await fixture.start();
  await erase(id);
  const [{ created }] = await lines();
  expect(await targets(`&created_after=${created}`)).toContain(id);
  expect(await targets(`&created_after=${created + 1}`)).not.toContain(id);
  expect(await targets(`&created_before=${created + 1}`)).toContain(id);
  expect(await targets(`&created_before=${created}`)).not.toContain(id);
});

test('an act that failed has no line', async () => {
  const id = await fixture.start();
  await fixture.end(id);
  await disturb(3); // As often as one transaction is run.
  expect((await erase(id)).status).toBeGreaterThanOrEqual(500);
  expect(await targets()).not.toContain(id);
  expect((await fixture.read(id)).id).toBe(id);
  expect((await erase(id)).status).toBe(204);
  expect(await targets()).toContain(id);
});
