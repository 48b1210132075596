import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EVENT_DATA, type EventType } from '../../src/events/event-types.ts';
import { toUuid } from '../../src/ids.ts';
import { resolveGap } from '../../src/knowledge/gaps/resolve-gap.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { tablesThatHold } from './tables-that-hold.ts';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

/** Stands in everything that somebody says here, and in nothing else. */
const WORD = 'xylophonist';

async function toldAll(): Promise<string> {
  const id = await fixture.start({
    user_id: `${WORD}-1`,
    variables: { name: WORD },
    metadata: { note: WORD },
  });
  await fixture.say(id, `How long does delivery take for a ${WORD}?`);
  await fixture.say(id, `Is a ${WORD} welcome at the opera of velvet?`);
  const { body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`, {
    json: { reason: `a ${WORD} waits` },
  });
  await fixture.call('POST', `/v1/escalations/${body.id}/accept`, {
    json: { accepted_by: { id: 'op', name: 'Kim' } },
  });
  await fixture.call('POST', `/v1/escalations/${body.id}/messages`, {
    json: { text: `Hello ${WORD}` },
    headers: { 'idempotency-key': `human ${id}` },
  });
  return id;
}

const tablesWith = (word: string): Promise<string[]> => tablesThatHold(fixture, word);

test('after DELETE no table holds a word of it, and every read is 404', async () => {
  const id = await toldAll();
  expect(await tablesWith(WORD)).toEqual(
    expect.arrayContaining(['conversations', 'turns', 'escalations', 'events', 'knowledge_gaps']),
  );
  expect((await fixture.call('DELETE', `/v1/conversations/${id}`)).status).toBe(204);
  expect(await tablesWith(WORD)).toEqual([]);
  for (const path of ['', '/transcript']) {
    expect((await fixture.call('GET', `/v1/conversations/${id}${path}`)).status).toBe(404);
  }
  expect((await fixture.say(id, 'hello')).status).toBe(404);
  expect((await fixture.call('DELETE', `/v1/conversations/${id}`)).status).toBe(404);
  const { body } = await fixture.call('GET', '/v1/conversations?limit=100');
  expect(body.data.map((one: { id: string }) => one.id)).not.toContain(id);
});

test('what somebody answered to a question of it stays, the question goes', async () => {
  const id = await fixture.start();
  await fixture.say(id, `Is a ${WORD} insured with you?`);
  const { data } = (await fixture.events(id)).at(-1)!;
  await resolveGap(
    { pool: fixture.engine.pool, nowMs: Date.now },
    { namespace: 'default', id: toUuid('gap', data.gap_id)!, answer: 'Musicians pay nothing.' },
  );
  expect(await tablesWith(WORD)).toContain('knowledge_chunks');
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  expect(await tablesWith(WORD)).toEqual([]);
  const other = await fixture.start();
  const { body } = await fixture.say(other, 'Do musicians pay?');
  expect(body.turns[1].text).toBe('Musicians pay nothing.');
});

test('of a call nobody learns any more who was rung up', async () => {
  const json = { agent_id: fixture.agentId, to: '+442071838750', from: '+442071838751' };
  const made = await fixture.call('POST', '/v1/calls', {
    json: {
      ...json,
      user_id: WORD,
      metadata: { note: WORD },
      simulated: { turns: [{ text: WORD }] },
    },
  });
  const { conversation_id } = await fixture.engine.eventually(async () => {
    const { body } = await fixture.call('GET', `/v1/calls/${made.body.id}`);
    return body.status === 'completed' && body;
  });
  expect(await tablesWith('44207183875')).toContain('calls');
  await fixture.call('DELETE', `/v1/conversations/${conversation_id}`);
  expect(await tablesWith('44207183875')).toEqual([]);
  expect(await tablesWith(WORD)).toEqual([]);
});

test('who erased what is in the audit log', async () => {
  const id = await fixture.start();
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  const { rows } = await fixture.engine.pool.query(
    `select action, actor from audit_log where target = $1`,
    [id],
  );
  expect(rows).toEqual([
    { action: 'conversation.erased', actor: expect.stringMatching(/^api:key_/) },
  ]);
});

test('one that goes on is ended first: an event, counted, without a transcript', async () => {
  const id = await fixture.start();
  await fixture.say(id, 'How long does delivery take?');
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  expect(await fixture.eventTypes(id)).toEqual(['conversation.started', 'conversation.ended']);
  const { data } = (await fixture.events(id)).at(-1)!;
  expect(data).toMatchObject({ ended_reason: 'deleted', outcome: 'resolved' });
});

test('one that goes on is counted as ended', async () => {
  const id = await fixture.start({ channel: 'web_voice' });
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  const { text } = await fixture.call('GET', '/metrics');
  expect(text).toMatch(
    /^parley_conversations_total\{channel="web_voice",outcome="abandoned"\} 1$/m,
  );
});

describe('what was not sent yet', () => {
  /** Nobody listens there, so nothing arrives. */
  let endpoint: string;
  beforeEach(async () => {
    const json = { url: 'http://127.0.0.1:9/hook' };
    endpoint = (await fixture.call('POST', '/v1/webhooks', { json })).body.id;
  });
  afterEach(() => fixture.call('DELETE', `/v1/webhooks/${endpoint}`));
  const erase = (id: string, events: string) =>
    fixture.call('DELETE', `/v1/conversations/${id}?events=${events}`);

  test('goes on without words; its event can be read, and not replayed', async () => {
    const id = await toldAll();
    expect((await fixture.call('DELETE', `/v1/conversations/${id}`)).status).toBe(204);
    expect(await tablesWith(WORD)).toEqual([]);
    const { body } = await fixture.call('GET', `/v1/events?limit=100&conversation_id=${id}`);
    expect(body.data).toHaveLength(6);
    for (const event of body.data) {
      expect([event.type, event.deliveries]).toEqual([
        event.type,
        { pending: 1, delivered: 0, failed: 0, canceled: 0 },
      ]);
      const parsed = EVENT_DATA[event.type as EventType].safeParse(event.data);
      expect([event.type, parsed.error]).toEqual([event.type, undefined]);
      const replayed = await fixture.call('POST', `/v1/events/${event.id}/replay`);
      const isWhole = event.type === 'conversation.ended';
      expect([event.type, replayed.status]).toEqual([event.type, isWhole ? 202 : 410]);
    }
  });

  test('events=cancel says which deliveries it cancels', async () => {
    const id = await toldAll();
    const events = (await fixture.call('GET', `/v1/events?limit=100&conversation_id=${id}`)).body;
    const { status, body } = await erase(id, 'cancel');
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      canceled_count: 5,
      canceled: events.data.toReversed().map((event: { id: string; type: string }) => ({
        event_id: event.id,
        event_type: event.type,
        delivery_id: expect.stringMatching(/^dlv_/),
        endpoint_id: endpoint,
      })),
    });
    const delivery = await fixture.call('GET', `/v1/deliveries/${body.canceled[0].delivery_id}`);
    expect(delivery.body.status).toBe('canceled');
    const left = await fixture.call('GET', `/v1/events?limit=100&conversation_id=${id}`);
    const pending = left.body.data.filter(
      (event: { deliveries: { pending: number } }) => event.deliveries.pending > 0,
    );
    expect(pending.map(({ type }: { type: string }) => type)).toEqual(['conversation.ended']);
    expect(await tablesWith(WORD)).toEqual([]);
  });

  test('of nothing unsent it says that', async () => {
    const id = await fixture.start();
    expect((await erase(id, 'cancel')).body).toEqual({ id, canceled_count: 0, canceled: [] });
    const { status, body } = await erase(await fixture.start(), 'forget');
    expect([status, body.code]).toEqual([400, 'invalid_parameter']);
  });
});

test('one that has ended keeps what was counted', async () => {
  const id = await fixture.start({ user_id: WORD });
  await fixture.say(id, 'How long does delivery take?');
  await fixture.end(id);
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  expect(await tablesWith(WORD)).toEqual([]);
  const { rows } = await fixture.engine.pool.query(
    'select outcome, turn_count, summary, user_id from conversations where id = $1',
    [toUuid('conv', id)],
  );
  expect(rows).toEqual([{ outcome: 'resolved', turn_count: 2, summary: null, user_id: null }]);
});

test('an answer kept for a repeated request is gone', async () => {
  const id = await fixture.start();
  const send = () =>
    fixture.call('POST', `/v1/conversations/${id}/messages`, {
      json: { text: `a ${WORD}?` },
      headers: { 'idempotency-key': 'k' },
    });
  expect((await send()).status).toBe(200);
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  expect((await send()).status).toBe(404);
});

test('an answer kept for a repeated request that placed the call of a conversation is gone', async () => {
  const place = () =>
    fixture.call('POST', '/v1/calls', {
      json: {
        agent_id: fixture.agentId,
        to: '+442071838750',
        simulated: { turns: [{ text: 'Hi' }] },
      },
      headers: { 'idempotency-key': 'call' },
    });
  const { body } = await place();
  const { conversation_id: id } = await fixture.engine.eventually(async () => {
    const call = (await fixture.call('GET', `/v1/calls/${body.id}`)).body;
    return call.status === 'completed' && call;
  });
  expect((await place()).status).toBe(201);
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  expect((await place()).status).toBe(404);
});
