import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reply } from '../roles/api/api-setup.ts';
import { newUuid, toUuid } from '../../src/ids.ts';
import {
  pass,
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';

/** What became of an agent's conversations, as numbers that a roll-out can be judged by. */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const stats = (query = '', key = fixture.key): Promise<Reply> =>
  fixture.call('GET', `/v1/agents/${fixture.agentId}/stats${query}`, { key });

const nothing = {
  conversations: 0,
  active: 0,
  ended: 0,
  resolved: 0,
  unresolved: 0,
  escalated: 0,
  abandoned: 0,
  voicemail: 0,
  failed: 0,
  unknown: 0,
  resolution_rate: null,
  csat_average: null,
  csat_count: 0,
  csat_predicted_average: null,
  csat_predicted_error: null,
  csat_correlation: null,
  escalations: 0,
  escalated_conversations: 0,
  escalation_rate: null,
  questions: 0,
  gaps: 0,
  gap_rate: null,
  turns: 0,
  turn_latency_count: 0,
  turn_latency_p50_ms: null,
  turn_latency_p95_ms: null,
};

test('stats count conversations by version and time; rates are null when there is nothing to divide by', async () => {
  const empty = await stats();
  expect(empty.status).toBe(200);
  expect(empty.body).toEqual({
    agent_id: fixture.agentId,
    version: null,
    from: expect.any(Number),
    to: expect.any(Number),
    ...nothing,
  });
  expect(empty.body.to - empty.body.from).toBe(86_400);

  const answered = await fixture.start();
  await fixture.say(answered, 'How long does delivery take?');
  await fixture.say(answered, 'How much does a unicorn cost in Patagonia?');
  await fixture.end(answered, { outcome: 'resolved' });
  await fixture.call('POST', `/v1/conversations/${answered}/feedback`, { json: { csat: 4 } });
  const handed = await fixture.start();
  await fixture.call('POST', `/v1/conversations/${handed}/escalate`, { json: {} });
  const old = await fixture.start();
  await pass(fixture, old, 1_800);
  const { body } = await stats();
  expect(body).toMatchObject({
    conversations: 3,
    active: 2,
    ended: 1,
    resolved: 1,
    unresolved: 0,
    resolution_rate: 1,
    csat_average: 4,
    csat_count: 1,
    csat_predicted_average: expect.any(Number),
    csat_correlation: null,
    escalations: 1,
    escalated_conversations: 1,
    questions: 2,
    gaps: 1,
    gap_rate: 0.5,
    turns: 5, // An escalation says so in the conversation.
    turn_latency_count: 2,
  });
  expect(body.escalation_rate).toBeCloseTo(1 / 3, 5);
  // One has ended and was rated: 4.
  expect(body.csat_predicted_error).toBeCloseTo(Math.abs(4 - body.csat_predicted_average), 5);
  expect(body.turn_latency_p95_ms).toBeGreaterThanOrEqual(body.turn_latency_p50_ms);
  expect(body.turn_latency_p50_ms).toBeGreaterThan(0);
  // Flat: each field is a number or null, but for the id.
  const { agent_id: _, ...numbers } = body;
  for (const value of Object.values(numbers)) {
    expect(value === null || typeof value === 'number').toBe(true);
  }

  const now = Math.floor(Date.now() / 1_000);
  expect((await stats(`?from=${now - 900}`)).body).toMatchObject({ conversations: 2 });
  expect((await stats(`?from=${now - 3_600}&to=${now - 900}`)).body).toMatchObject({
    conversations: 1,
    to: now - 900,
  });
  // What was counted stays, whoever's words are erased.
  await fixture.call('DELETE', `/v1/conversations/${answered}`);
  const erased = await stats();
  expect(erased.body).toMatchObject({ conversations: 3, resolved: 1, gaps: 1, turns: 5 });

  await fixture.call('PATCH', `/v1/agents/${fixture.agentId}`, { json: { prompt: 'Help more.' } });
  await fixture.start();
  expect((await stats('?version=1')).body).toMatchObject({ version: 1, conversations: 3 });
  expect((await stats('?version=2')).body).toMatchObject({
    version: 2,
    conversations: 1,
    ended: 0,
  });
  expect((await stats()).body).toMatchObject({ conversations: 4 });
});

test('how far to trust the prediction: its distance from what users said, and whether they go together', async () => {
  const agent_id = await fixture.newAgent();
  // The last one was not rated, and counts for neither.
  const rated = [
    [5, 3.5],
    [4, 3.5],
    [2, 3],
    [null, 1],
  ] as const;
  for (const [csat, predicted] of rated) {
    const id = await fixture.start({ agent_id });
    await fixture.end(id);
    await fixture.engine.pool.query(
      'update conversations set csat = $2, csat_predicted = $3 where id = $1',
      [toUuid('conv', id), csat, predicted],
    );
  }
  const { body } = await fixture.call('GET', `/v1/agents/${agent_id}/stats`);
  expect(body.csat_predicted_error).toBeCloseTo((1.5 + 0.5 + 1) / 3, 5);
  expect(body.csat_correlation).toBeCloseTo(0.9449, 3);
});

test('latency is that of the 1,000 newest conversations', async () => {
  const agent_id = await fixture.newAgent();
  const first = await fixture.start({ agent_id });
  await fixture.say(first, 'How long does delivery take?');
  const startMs = Date.now() - 10_000;
  const ids = Array.from({ length: 1_100 }, (_, at) => newUuid(startMs + at));
  const { pool } = fixture.engine;
  const values = [toUuid('conv', first), ids];
  await pool.query(
    `insert into conversations
     select (jsonb_populate_record(c, jsonb_build_object('id', n.id))).*
       from conversations c, unnest($2::uuid[]) as n (id) where c.id = $1`,
    values,
  );
  // The 100 oldest are slow.
  await pool.query(
    `insert into turns
     select (jsonb_populate_record(t, jsonb_build_object('conversation_id', n.id, 'latency',
              jsonb_build_object('turn_ms', case when n.at <= 100 then 9000 else 10 end)))).*
       from turns t, unnest($2::uuid[]) with ordinality as n (id, at)
      where t.conversation_id = $1 and t.role = 'agent'`,
    values,
  );
  await pool.query('delete from conversations where id = $1', values.slice(0, 1));
  const { body } = await fixture.call('GET', `/v1/agents/${agent_id}/stats`);
  expect(body).toMatchObject({
    conversations: 1_100,
    turn_latency_count: 1_000,
    turn_latency_p50_ms: 10,
    turn_latency_p95_ms: 10,
  });
});

test('stats refuse what would be answered wrong, and know nothing of other namespaces', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const refused = async (query: string): Promise<unknown> => {
    const { status, body } = await stats(query);
    return [status, body.code];
  };
  expect(await refused('?version=7')).toEqual([422, 'unknown_version']);
  for (const query of [
    '?version=0',
    '?version=x',
    `?from=${now}&to=${now}`,
    `?from=${now - 32 * 86_400}`,
    '?from=yesterday',
  ]) {
    expect({ query, answer: await refused(query) }).toEqual({
      query,
      answer: [400, 'invalid_parameter'],
    });
  }
  expect((await stats('', await fixture.newKey('other'))).status).toBe(404);
  const writer = await fixture.newKey('default', ['write']);
  expect((await stats('', writer)).status).toBe(403);
});
