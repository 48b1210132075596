import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { runErasures } from '../../src/erasure/erase-customer.ts';
import { toUuid } from '../../src/ids.ts';
import { eraseEvents } from '../../src/webhooks/queue/delivery-endings.sql.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { startAnother } from '../roles/api/api-setup.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { tablesThatHold } from './tables-that-hold.ts';

/** Everything of a customer is erased in one act (contract/customers.md#erasure). An API of its own: whole tables are read. */

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const erase = (userId: string, query = '', options = {}) =>
  fixture.call('DELETE', `/v1/customers/${encodeURIComponent(userId)}${query}`, options);
const erasure = async (id: string) =>
  (await fixture.call('GET', `/v1/customer_erasures/${id}`)).body;

/** Waits until an erasure is done, and returns it. */
const done = (id: string) =>
  fixture.engine.eventually(async () => {
    const body = await erasure(id);
    return body.status === 'done' && body;
  });

const callTo = (userId: string, fields: object = {}, headers = {}) =>
  fixture.call('POST', '/v1/calls', {
    json: { agent_id: fixture.agentId, to: '+442071838750', user_id: userId, ...fields },
    headers,
  });

async function said(userId: string, fields: object = {}): Promise<string> {
  const id = await fixture.start({ user_id: userId, ...fields });
  await fixture.say(id, `Is ${userId} welcome at the opera of velvet?`);
  return id;
}

test('no table holds a word of the customer, and every read is 404', async () => {
  const user = 'xylophonist/1';
  const word = 'xylophonist';
  const ended = await said(user, { metadata: { note: word }, variables: { name: word } });
  await fixture.end(ended);
  await said(user, { test: true });
  const waiting = await said(user);
  const { body: escalation } = await fixture.call('POST', `/v1/conversations/${waiting}/escalate`, {
    json: { reason: `a ${word} waits` },
  });
  await fixture.call('POST', `/v1/escalations/${escalation.id}/notes`, {
    json: { text: `The ${word} calls every week.` },
  });
  const busy = await callTo(user, { metadata: { note: word }, simulated: { answer: 'busy' } });
  const other = await said('ada');
  expect(await tablesThatHold(fixture, word)).toEqual(
    expect.arrayContaining([
      'calls',
      'conversations',
      'escalation_notes',
      'escalations',
      'events',
      'turns',
    ]),
  );

  const { status, headers, body } = await erase(user);
  expect({ status, body }).toMatchObject({
    status: 202,
    body: { events: 'deliver', progress: { total: 4 }, canceled_count: 0 },
  });
  expect(headers.get('location')).toBe(`/v1/customer_erasures/${body.id}`);
  expect(await done(body.id)).toMatchObject({
    user_id: null,
    progress: { total: 4, done: 4 },
    finished_at: expect.any(Number),
  });
  expect(await tablesThatHold(fixture, word)).toEqual([]);
  expect(await tablesThatHold(fixture, '442071838750')).toEqual([]);
  for (const path of ['', '/export']) {
    const reply = await fixture.call('GET', `/v1/customers/${encodeURIComponent(user)}${path}`);
    expect(reply.status).toBe(404);
  }
  expect((await fixture.say(waiting, 'hello')).status).toBe(404);
  expect((await erase(user)).status).toBe(404);
  // Figures stay, as after the erasure of each conversation.
  expect((await fixture.call('GET', `/v1/escalations/${escalation.id}`)).body.reason).toBe(
    '[erased]',
  );
  expect((await fixture.call('GET', `/v1/calls/${busy.body.id}`)).body).toMatchObject({
    status: 'busy',
    user_id: null,
    to: null,
  });
  expect((await fixture.read(other)).user_id).toBe('ada');
});

test('one line of the audit log says who did it, and names nobody', async () => {
  await said('bea');
  await said('bea');
  const { body } = await erase('bea', '?events=cancel');
  await done(body.id);
  const { rows } = await fixture.engine.pool.query(
    `select action, actor, detail, before, after from audit_log
      where target = $1 or action = 'conversation.erased'`,
    [body.id],
  );
  expect(rows).toEqual([
    {
      action: 'customer.erased',
      actor: expect.stringMatching(/^api:key_/),
      detail: { events: 'cancel', conversations: 2, calls: 0 },
      before: null,
      after: null,
    },
  ]);
});

test('a call that nobody has answered yet ends first', async () => {
  const { body: call } = await callTo('cleo', { simulated: { ring_ms: 60_000 } });
  const { body } = await erase('cleo');
  await done(body.id);
  expect((await fixture.call('GET', `/v1/calls/${call.id}`)).body).toMatchObject({
    status: 'canceled',
    user_id: null,
    to: null,
  });
});

test('a call whose conversation was given another user is erased, and the conversation is not', async () => {
  const { body: call } = await callTo('dora', { simulated: { turns: [{ text: 'Hello' }] } });
  const { conversation_id: id } = await fixture.engine.eventually(async () => {
    const one = (await fixture.call('GET', `/v1/calls/${call.id}`)).body;
    return one.status === 'completed' && one;
  });
  await fixture.call('PATCH', `/v1/conversations/${id}`, { json: { user_id: 'emil' } });
  await done((await erase('dora')).body.id);
  expect((await fixture.call('GET', `/v1/calls/${call.id}`)).body).toMatchObject({
    user_id: null,
    to: null,
  });
  expect((await fixture.read(id)).user_id).toBe('emil');
});

test('answers that were kept for a repeat are erased: of messages and of calls', async () => {
  const id = await fixture.start({ user_id: 'finn' });
  const again = { headers: { 'idempotency-key': 'said' } };
  const say = () =>
    fixture.call('POST', `/v1/conversations/${id}/messages`, { json: { text: 'Hi' }, ...again });
  const call = () =>
    callTo('finn', { simulated: { answer: 'busy' } }, { 'idempotency-key': 'call' });
  expect((await say()).status).toBe(200);
  expect((await call()).status).toBe(201);
  await done((await erase('finn')).body.id);
  expect((await say()).status).toBe(404);
  expect((await call()).status).toBe(404);
});

describe('events that were not sent yet', () => {
  test.each([
    ['deliver', 0],
    ['cancel', 1],
  ])('%s', async (events, canceled) => {
    // Nobody listens there, so nothing arrives.
    const json = { url: 'http://127.0.0.1:9/hook', event_types: ['conversation.started'] };
    const { body: endpoint } = await fixture.call('POST', '/v1/webhooks', { json });
    await fixture.start({ user_id: 'hana' });
    const { body } = await erase('hana', `?events=${events}`);
    expect(await done(body.id)).toMatchObject({ events, canceled_count: canceled });
    await fixture.call('DELETE', `/v1/webhooks/${endpoint.id}`);
  });

  test('anything else is 400', async () => {
    expect((await erase('hana', '?events=forget')).status).toBe(400);
  });
});

describe('an erasure that is running', () => {
  /** Erases as one process does. `eraseEvents` may fail, as if the process had died in the middle. */
  const run = (erasing = eraseEvents, signal = new AbortController().signal) => {
    const { pool } = fixture.engine;
    const none = () => undefined;
    const deps = {
      pool,
      log: pino({ level: 'silent' }),
      announce: none,
      changed: none,
      nowMs: Date.now,
      metrics: createMetrics({ processMetrics: false }),
      baseUrl: () => 'http://127.0.0.1',
      judge: none,
      eraseEvents: erasing,
      transportOf: () => {
        throw new Error('no call is placed here');
      },
    };
    return runErasures(deps, signal);
  };

  /** Stores an erasure that no process knows of, because no request woke one. */
  async function stored(userId: string, namespace = 'default'): Promise<string> {
    const { rows } = await fixture.engine.pool.query<{ id: string }>(
      `insert into customer_erasures (id, namespace, user_id, status, events, actor, total)
       values (parley_uuid_v7(), $1, $2, 'running', 'deliver', 'cli', 1) returning id`,
      [namespace, userId],
    );
    return rows[0]!.id;
  }
  const stateOf = async (id: string) => {
    const { rows } = await fixture.engine.pool.query(
      'select status, done, total, user_id from customer_erasures where id = $1',
      [id],
    );
    return rows[0];
  };
  const withUser = async (userId: string): Promise<number> => {
    const { rows } = await fixture.engine.pool.query(
      'select 1 from conversations where user_id = $1',
      [userId],
    );
    return rows.length;
  };

  test('continues after a failure: what was erased counts once, and nothing is half erased', async () => {
    for (let count = 0; count < 3; count += 1) await said('ines');
    const id = await stored('ines');
    let erased = 0;
    await run(async (...given) => {
      erased += 1;
      if (erased === 2) throw new Error('the process dies');
      return eraseEvents(...given);
    });
    expect(await stateOf(id)).toMatchObject({ status: 'running', done: 1, user_id: 'ines' });
    expect(await withUser('ines')).toBe(2);
    await run();
    expect(await stateOf(id)).toEqual({ status: 'done', done: 3, total: 3, user_id: null });
    expect(await withUser('ines')).toBe(0);
  });

  test('does not stop the erasures of other namespaces when it fails', async () => {
    const lost = await said('jo');
    const [failing, other] = [await stored('jo'), await stored('nobody', 'theirs')];
    await run(async (db, about) => {
      if (about.conversationId === toUuid('conv', lost)) throw new Error('it fails');
      return eraseEvents(db, about);
    });
    expect(await stateOf(failing)).toMatchObject({ status: 'running', done: 0 });
    expect(await stateOf(other)).toMatchObject({ status: 'done' });
    await run();
  });

  test('is left to the process that works on it', async () => {
    await said('kim');
    const id = await stored('kim');
    const client = await fixture.engine.pool.connect();
    await client.query('begin');
    await client.query('select 1 from customer_erasures where id = $1 for update', [id]);
    await run();
    expect(await stateOf(id)).toMatchObject({ status: 'running', done: 0 });
    await client.query('rollback');
    client.release();
    await run();
    expect(await stateOf(id)).toMatchObject({ status: 'done' });
  });

  test('stops between two objects when the process stops, and includes what comes in meanwhile', async () => {
    await said('lee');
    await said('lee');
    const id = await stored('lee');
    const stopping = new AbortController();
    await run(async (...given) => {
      stopping.abort();
      return eraseEvents(...given);
    }, stopping.signal);
    expect(await stateOf(id)).toMatchObject({ status: 'running', done: 1 });
    await said('lee');
    await run();
    expect(await stateOf(id)).toEqual({ status: 'done', done: 3, total: 3, user_id: null });
  });

  test('is the answer to a repeated request, and has one line of the audit log', async () => {
    const id = await said('mia');
    const client = await fixture.engine.pool.connect();
    await client.query('begin');
    // The erasure waits for this lock.
    await client.query('select 1 from conversations where id = $1 for update', [
      toUuid('conv', id),
    ]);
    const first = (await erase('mia')).body;
    const again = await erase('mia', '?events=cancel');
    await client.query('rollback');
    client.release();
    expect(again).toMatchObject({
      status: 202,
      body: { id: first.id, user_id: 'mia', status: 'running', events: 'deliver' },
    });
    await done(first.id);
    const { rows } = await fixture.engine.pool.query('select 1 from audit_log where target = $1', [
      first.id,
    ]);
    expect(rows).toHaveLength(1);
  });
});

test('the log names the route of a request about a customer, and not the customer', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const other = await startAnother(fixture, { key: fixture.key, log });
  for (const path of ['', '/activity', '/export']) {
    await other.call('GET', `/v1/customers/xylophonist${path}`);
  }
  await other.call('GET', '/v1/customer_erasures');
  await other.stop();
  const paths = lines.flatMap((line) => (JSON.parse(line) as { path?: string }).path ?? []);
  expect(paths).toEqual([
    '/v1/customers/{user_id}',
    '/v1/customers/{user_id}/activity',
    '/v1/customers/{user_id}/export',
    '/v1/customer_erasures',
  ]);
  expect(lines.join('')).not.toContain('xylophonist');
});

test('erasures are listed, newest first, by status and namespace', async () => {
  const ids: string[] = [];
  for (const user of ['nora', 'olga']) {
    await said(user);
    ids.push((await erase(user)).body.id);
  }
  for (const id of ids) await done(id);
  const list = async (query: string, options = {}) =>
    (await fixture.call('GET', `/v1/customer_erasures${query}`, options)).body;
  const found = await list('?limit=1&status=done');
  expect(found.data).toMatchObject([{ id: ids[1] }]);
  const next = await list(`?limit=1&cursor=${found.next_cursor}`);
  expect(next.data).toMatchObject([{ id: ids[0] }]);
  expect((await list('?status=running')).data).toEqual([]);
  const key = await fixture.newKey('others');
  expect((await list('', { key })).data).toEqual([]);
  expect((await fixture.call('GET', `/v1/customer_erasures/${ids[0]}`, { key })).status).toBe(404);
  expect((await fixture.call('GET', '/v1/customer_erasures?status=late')).status).toBe(400);
});
