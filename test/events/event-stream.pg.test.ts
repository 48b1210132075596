import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { EventType } from '../../src/events/event-types.ts';
import { fromUuid, newUuid, toUuid } from '../../src/ids.ts';
import { EVENT_SAMPLES } from '../../src/events/samples.ts';
import { createAnnounce, emitEvent, type Announce } from '../../src/events/emit-event.ts';
import { eraseEvents } from '../../src/webhooks/queue/delivery-endings.sql.ts';
import { healStreamOrder } from '../../src/events/event-stream.sql.ts';
import { createNotifier, type Notifier } from '../../src/platform/postgres/notifications.ts';
import type { Db } from '../../src/platform/postgres/pool.ts';
import { holdTime } from '../clock.ts';
import { startAnother, startApi, type Api } from '../roles/api/api-setup.ts';
import { followStream } from './follow-stream.ts';

/** Each event once and none left out, whatever commits late and whoever comes back when. */
let api: Api;
let notifier: Notifier;
let announce: Announce;
let namespaces = 0;

beforeAll(async () => {
  api = await startApi({ operator: false });
  notifier = createNotifier(api.engine);
  announce = createAnnounce({ notifier, metrics: api.engine.metrics });
});

afterAll(async () => {
  await notifier.stop();
  await api.stop();
});

/** A namespace of this test alone. */
async function newNamespace() {
  const namespace = `stream-${(namespaces += 1)}`;
  const key = await api.newKey(namespace);
  const put = async (
    db: Db,
    {
      type = 'agent.published',
      nowMs = Date.now(),
      ...of
    }: { type?: EventType; nowMs?: number; agentId?: string; conversationId?: string } = {},
  ) => emitEvent(db, { namespace, type, data: EVENT_SAMPLES[type], ...of }, nowMs);
  return {
    namespace,
    key,
    put,
    emit: async (of: Parameters<typeof put>[1] = {}): Promise<string> => {
      const emitted = await put(api.engine.pool, of);
      announce(emitted);
      return fromUuid('evt', emitted.eventId);
    },
    follow: (query = '', headers: Record<string, string> = {}) =>
      followStream(api.url, { key, query, headers }),
  };
}

test('an event comes with its id, its type and the very bytes', async () => {
  const { emit, follow: open, key } = await newNamespace();
  await emit();
  const stream = await open();
  expect(stream.headers['content-type']).toBe('text/event-stream');
  const ids: string[] = [];
  for (let i = 1; i <= 4; i += 1) {
    ids.push(await emit({ type: i % 2 === 0 ? 'agent.published' : 'knowledge.gap.detected' }));
    await stream.length(i);
  }
  // From now on: what was there before does not come.
  expect(stream.ids()).toEqual(ids);
  const { rows } = await api.engine.pool.query<{ body: Buffer; type: string }>(
    'select body, type from events where id = any($1) order by id',
    [ids.map((id) => toUuid('evt', id))],
  );
  expect(stream.got.map(({ data }) => data)).toEqual(rows.map(({ body }) => body.toString()));
  expect(stream.got.map(({ event }) => event)).toEqual(rows.map(({ type }) => type));
  stream.close();
  const { status } = await api.call('HEAD', '/v1/events/stream', { key });
  expect(status).toBe(200);
});

test('an event wakes the streams of its namespace, which wait for no poll', async () => {
  onTestFinished(() => other.stop()); // Registered first, so it runs last: a stop takes time.
  const time = holdTime(); // So none comes to what starts now.
  const other = await startAnother(api, { key: api.key });
  const { emit, key } = await newNamespace();
  const stream = await followStream(other.url, { key });
  for (let i = 1; i <= 3; i += 1) {
    await emit();
    const state = { hasCome: false };
    const come = stream.length(i).then(() => void (state.hasCome = true));
    // A transaction that runs beside it may hold an event back for a moment, which is shorter than a poll. It ends in
    // real time, and so does the way of the notification.
    for (let look = 1; look <= 1_500 && !state.hasCome; look += 1) {
      await api.engine.pool.query('select pg_sleep(0.005)');
      if (look % 50 === 0) await time.advance(10);
    }
    await come;
  }
  stream.close();
});

test('whoever comes back gets everything after the last event, once, also what committed late', async () => {
  const { namespace, put, emit, follow: open } = await newNamespace();
  const first = await open();
  const late = await api.engine.pool.connect();
  await late.query('begin');
  // Its id is older than those of the next ones, which are committed first.
  const inside = await put(late);
  const after = [await emit(), await emit()];
  // Held back: they may not pass what is older and still runs.
  const other = await newNamespace();
  const witness = await other.follow();
  await late.query('commit');
  late.release();
  announce(inside);
  await first.length(3);
  const all = [fromUuid('evt', inside.eventId), ...after];
  expect(first.ids()).toEqual(all);
  first.close();
  witness.close();
  for (const [at, id] of all.entries()) {
    const byHeader = await open('', { 'last-event-id': id });
    const byQuery = await open(`?last_event_id=${id}`);
    const next = await emit();
    all.push(next);
    for (const stream of [byHeader, byQuery]) {
      await stream.length(all.length - at - 1);
      expect(stream.ids()).toEqual(all.slice(at + 1));
      stream.close();
    }
    if (at === 2) break;
  }
  expect(namespace).toMatch(/^stream-/);
});

test('over many writers and readers that come and go, every reader gets every event once', async () => {
  const { put, emit, follow: open } = await newNamespace();
  const begin = await emit();
  const expected = new Set<string>();
  const writer = async (seed: number): Promise<void> => {
    for (let i = 0; i < 12; i += 1) {
      const client = await api.engine.pool.connect();
      await client.query('begin');
      const emitted = [await put(client), await put(client)];
      await client.query('select pg_sleep($1)', [((seed * 7 + i * 3) % 5) / 100]);
      // Some think better of it.
      const isKept = (seed + i) % 4 !== 0;
      await client.query(isKept ? 'commit' : 'rollback');
      client.release();
      if (!isKept) continue;
      for (const one of emitted) {
        expected.add(fromUuid('evt', one.eventId));
        announce(one);
      }
    }
  };
  const writing = new AbortController();
  const reader = async (): Promise<string[]> => {
    const seen: string[] = [];
    let last = begin;
    const isOver = (): boolean => writing.signal.aborted;
    for (let round = 0; !isOver() || seen.length < expected.size; round += 1) {
      const stream = await open('', { 'last-event-id': last });
      const want = Math.min(1 + (round % 5), isOver() ? expected.size - seen.length : 1);
      if (want > 0) await stream.length(want);
      stream.close();
      seen.push(...stream.ids());
      last = seen.at(-1) ?? begin;
    }
    return seen;
  };
  const readers = Array.from({ length: 3 }, reader);
  await Promise.all([1, 2, 3].map(writer));
  expected.add(await emit());
  writing.abort();
  const all = await Promise.all(readers);
  for (const seen of all) {
    expect(seen).toHaveLength(expected.size);
    expect(new Set(seen)).toEqual(expected);
    expect(seen).toEqual(all[0]);
  }
});

test('filters leave out the rest, live and on coming back; another namespace hears nothing', async () => {
  const { emit, follow: open } = await newNamespace();
  const other = await newNamespace();
  const [agentId, conversationId] = [newUuid(), newUuid()];
  const begin = await emit();
  const queries = [
    '?types=knowledge.gap.detected,agent.rolled_back',
    `?agent_id=${fromUuid('agt', agentId)}`,
    `?conversation_id=${fromUuid('conv', conversationId)}&types=knowledge.gap.detected`,
  ];
  const live = await Promise.all(queries.map((query) => open(query)));
  const foreign = await other.follow();
  const gap = await emit({ type: 'knowledge.gap.detected', agentId, conversationId });
  const rolledBack = await emit({ type: 'agent.rolled_back' });
  const published = await emit({ agentId, conversationId });
  const end = await other.emit();
  const wanted = [[gap, rolledBack], [gap, published], [gap]];
  for (const [i, stream] of live.entries()) {
    await stream.length(wanted[i]!.length);
    expect(stream.ids()).toEqual(wanted[i]);
    const again = await open(queries[i], { 'last-event-id': begin });
    await again.length(wanted[i]!.length);
    expect(again.ids()).toEqual(wanted[i]);
    again.close();
    stream.close();
  }
  await foreign.length(1);
  expect(foreign.ids()).toEqual([end]);
  foreign.close();
});

test('an unknown, foreign, old or wrong last id is 410, a wrong parameter 400', async () => {
  const { key } = await newNamespace();
  const foreign = await (await newNamespace()).emit();
  const old = fromUuid('evt', newUuid(Date.now() - 31 * 86_400_000));
  for (const id of [foreign, old, fromUuid('evt', newUuid()), 'nonsense']) {
    const headers = { 'last-event-id': id };
    const { status, body } = await api.call('GET', '/v1/events/stream', { key, headers });
    expect({ status, code: body.code }).toEqual({ status: 410, code: 'event_expired' });
  }
  for (const query of ['types=agent.some', 'last_event_id=x', 'agent_id=x', 'limit=1']) {
    const { status } = await api.call('GET', `/v1/events/stream?${query}`, { key });
    expect(status).toBe(400);
  }
});

test('a reader that does not read holds up nobody and misses nothing', async () => {
  const { namespace, emit, follow: open } = await newNamespace();
  const begin = await emit();
  const [slow, quick] = [await open('', { 'last-event-id': begin }), await open()];
  slow.pause();
  const many = 1_500;
  await api.engine.pool.query(
    `insert into events (id, namespace, type, body)
     select parley_uuid_v7(), $1, 'agent.published',
            convert_to('{"filler":"' || repeat('x', 4000) || '"}', 'UTF8')
       from generate_series(1, $2)`,
    [namespace, many],
  );
  const last = await emit();
  await quick.length(many + 1);
  expect(quick.ids().at(-1)).toBe(last);
  expect(slow.ids()).toHaveLength(0);
  slow.resume();
  await slow.length(many + 1);
  expect(slow.ids()).toEqual(quick.ids());
  slow.close();
  quick.close();
});

test('what was erased comes without its words', async () => {
  const { emit, follow: open } = await newNamespace();
  const conversationId = newUuid();
  const begin = await emit();
  const erased = await emit({ type: 'conversation.transcript.ready', conversationId });
  await eraseEvents(api.engine.pool, { conversationId, events: 'cancel', erased: '…' });
  const stream = await open('', { 'last-event-id': begin });
  await stream.length(1);
  expect(JSON.parse(stream.got[0]!.data)).toMatchObject({ id: erased, data: {} });
  stream.close();
});

test('restored into a server that counts transactions anew, events keep their order', async () => {
  const { namespace, emit, follow: open } = await newNamespace();
  // Ids of one millisecond are in no order, and theirs is the only one that is left.
  const beganMs = Date.now() - 10;
  const restored: string[] = [];
  for (const i of [0, 1, 2]) restored.push(await emit({ nowMs: beganMs + i }));
  await api.engine.pool.query(
    `update events set xid = (2000000000 - xid::text::bigint)::text::xid8 where namespace = $1`,
    [namespace],
  );
  expect(await healStreamOrder(api.engine.pool)).toBe(3);
  expect(await healStreamOrder(api.engine.pool)).toBe(0);
  const next = await emit();
  const stream = await open('', { 'last-event-id': restored[0]! });
  await stream.length(3);
  expect(stream.ids()).toEqual([restored[1], restored[2], next]);
  stream.close();
});

test('stopping ends open streams first, in order', async () => {
  const own = await startApi({ operator: false });
  const response = await fetch(`${own.url}/v1/events/stream`, {
    headers: { authorization: `Bearer ${own.key}`, connection: 'close' },
  });
  const text = response.text();
  await own.stop();
  expect(await text).toBe(''); // A stream that is cut would reject.
});
