import { describe, expect, test } from 'vitest';
import {
  insertDeferred,
  takeDeferred,
  insertEvents,
  insertTestEvents,
  type NewEvent,
  type NewTestEvent,
} from '../../src/events/outbox.sql.ts';
import { encodeEnvelope } from '../../src/events/envelope.ts';
import { eraseEventsOf } from '../../src/events/erase-events.sql.ts';
import {
  findStreamPosition,
  healStreamOrder,
  lastEventBefore,
  PAGE_BYTES,
  readStream,
  readStreamStart,
  START,
} from '../../src/events/event-stream.sql.ts';
import { EVENT_SAMPLES } from '../../src/events/samples.ts';
import { listEvents, readEvent } from '../../src/events/events.sql.ts';
import { fromUuid, newUuid } from '../../src/ids.ts';
import { CHANNELS } from '../../src/platform/postgres/notifications.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';

/**
 * Each statement about events, of rows that differ from the one it is for in one part alone. A database of its own: some
 * statements change the rows of all namespaces.
 */

const stored = useRows('events', 'deferred_events', 'delivery_queue', 'webhook_endpoints');

const OTHER = newUuid();
const DAY_MS = 86_400_000;
/** No transaction of a test's server comes so far. */
const LATER = 2n ** 60n;

/** Stores an event of transaction 10, older than all that run; returns its id. */
async function addEvent({
  id = newUuid(),
  ...columns
}: { id?: string } & Columns = {}): Promise<string> {
  const row = { id, namespace: 'default', type: 'agent.published', body: Buffer.from('{}') };
  await stored.add('events', { ...row, xid: '10', ...columns });
  return id;
}
const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

describe('the list of events', () => {
  test('has each filter, newest first', async () => {
    const sec = Math.floor(Date.now() / 1_000);
    const before = await addEvent({ id: newUuid(sec * 1_000 - 1) });
    const [conversation_id, agent_id] = [newUuid(), newUuid()];
    const about = { conversation_id, agent_id, type: 'conversation.started' };
    const started = await addEvent({ id: newUuid(sec * 1_000), ...about });
    const ended = await addEvent({ id: newUuid(sec * 1_000 + 1), type: 'conversation.ended' });
    const tried = await addEvent({ id: newUuid(sec * 1_000 + 2), endpoint_id: OTHER });
    const foreign = await addEvent({ namespace: 'other' });
    const list = async (over: object = {}): Promise<string[]> =>
      ids(
        await listEvents(stored.pool, { namespace: 'default', limit: 9, withTests: true, ...over }),
      );
    expect(await list()).toEqual([tried, ended, started, before]);
    expect(await list({ namespace: 'other' })).toEqual([foreign]);
    expect(await list({ withTests: false })).toEqual([ended, started, before]);
    expect(await list({ before: ended })).toEqual([started, before]);
    expect(await list({ limit: 1 })).toEqual([tried]);
    expect(await list({ types: ['conversation.ended'] })).toEqual([ended]);
    const types = ['conversation.ended', 'conversation.started'];
    expect(await list({ types })).toEqual([ended, started]);
    expect(await list({ conversationId: conversation_id })).toEqual([started]);
    expect(await list({ agentId: agent_id })).toEqual([started]);
    expect(await list({ createdAfter: sec })).toEqual([tried, ended, started]);
    expect(await list({ createdBefore: sec })).toEqual([before]);
  });

  test('has an event that is read by its id and namespace', async () => {
    const id = await addEvent();
    await addEvent();
    expect((await readEvent(stored.pool, { namespace: 'default', id }))?.id).toBe(id);
    expect(await readEvent(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect(await readEvent(stored.pool, { namespace: 'default', id: OTHER })).toBeUndefined();
  });
});

describe('the stream', () => {
  type Input = Parameters<typeof readStream>[1];
  const read = async (over: Partial<Input> = {}) => {
    const page = { namespace: 'default', after: START, limit: 9, sinceMs: Date.now() };
    const found = await readStream(stored.pool, { ...page, filter: { withTests: true }, ...over });
    return { ...found, ids: ids(found.events) };
  };

  test('begins after what is committed', async () => {
    const running = await stored.pool.connect();
    const client = await stored.pool.connect();
    try {
      await running.query('begin');
      const { rows } = await running.query<{ xid: string }>('select pg_current_xact_id() as xid');
      await client.query('begin isolation level repeatable read');
      const taken = await client.query<{ snapshot: string }>(
        'select pg_current_snapshot()::text as snapshot',
      );
      const [xmin = '', xmax = ''] = taken.rows[0]!.snapshot.split(':');
      const { position, isCommitted } = await readStreamStart(client);
      expect(position).toEqual({ xid: BigInt(xmin), id: START.id });
      expect(isCommitted(BigInt(xmin) - 1n)).toBe(true);
      expect(isCommitted(BigInt(rows[0]!.xid))).toBe(false);
      expect(isCommitted(BigInt(xmax))).toBe(false);
    } finally {
      for (const one of [running, client]) {
        await one.query('rollback');
        one.release();
      }
    }
  });

  test('has the position of an event of its namespace', async () => {
    const id = await addEvent({ xid: '12' });
    await addEvent();
    const at = { namespace: 'default', id };
    expect(await findStreamPosition(stored.pool, at)).toEqual({ xid: 12n, id });
    expect(await findStreamPosition(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect(
      await findStreamPosition(stored.pool, { namespace: 'default', id: OTHER }),
    ).toBeUndefined();
  });

  test('is in the order of transactions, then of ids, after a position', async () => {
    const late = await addEvent({ xid: '30' });
    const first = await addEvent({ xid: '20' });
    const second = await addEvent({ xid: '20' });
    const early = await addEvent({ xid: '10' });
    await addEvent({ namespace: 'other' });
    expect((await read()).ids).toEqual([early, first, second, late]);
    expect((await read({ after: { xid: 20n, id: first } })).ids).toEqual([second, late]);
    expect((await read({ after: { xid: 30n, id: late } })).ids).toEqual([]);
  });

  test('ends with a full page at its last event, and else at what is committed', async () => {
    const [first, second] = [await addEvent(), await addEvent()];
    expect(await read({ limit: 1 })).toMatchObject({ ids: [first], hasMore: true });
    const full = await read({ limit: 2 });
    expect(full).toMatchObject({ hasMore: true, position: { xid: 10n, id: second } });
    const all = await read({ limit: 3 });
    expect(all).toMatchObject({ ids: [first, second], hasMore: false });
    expect(all.position.xid).toBeGreaterThan(10n);
    const ahead = { xid: LATER, id: second };
    expect((await read({ after: ahead })).position).toEqual(ahead);
  });

  test('has pages of so many bytes, or of one event', async () => {
    const bodies = [PAGE_BYTES + 1, PAGE_BYTES - 1, 1, 1].map((size) => Buffer.alloc(size));
    const sent: string[] = [];
    for (const body of bodies) sent.push(await addEvent({ body }));
    const page = await read();
    expect(page).toMatchObject({ ids: sent.slice(0, 1), hasMore: true });
    const next = await read({ after: page.position });
    expect(next).toMatchObject({ ids: sent.slice(1, 3), hasMore: true });
    const last = await read({ after: next.position });
    expect(last).toMatchObject({ ids: sent.slice(3), hasMore: false });
  });

  test('reads no event of more than a day before', async () => {
    const id = await addEvent();
    expect((await read({ sinceMs: Date.now() + DAY_MS - 60_000 })).ids).toEqual([id]);
    expect((await read({ sinceMs: Date.now() + DAY_MS + 60_000 })).ids).toEqual([]);
  });

  test('holds back what is newer than a transaction that runs, in its namespace', async () => {
    await addEvent({ namespace: 'other', xid: String(LATER) });
    expect(await read()).toMatchObject({ ids: [], isHeldBack: false });
    const id = await addEvent();
    expect(await read()).toMatchObject({ ids: [id], isHeldBack: false });
    await addEvent({ xid: String(LATER) });
    expect(await read()).toMatchObject({ ids: [id], hasMore: false, isHeldBack: true });
    const later = { sinceMs: Date.now() + DAY_MS + 60_000 };
    expect(await read(later)).toMatchObject({ ids: [], isHeldBack: false });
  });

  test('leaves out what a filter leaves out', async () => {
    const sec = Math.floor(Date.now() / 1_000);
    const before = await addEvent({ id: newUuid(sec * 1_000 - 1) });
    const [conversation_id, agent_id] = [newUuid(), newUuid()];
    const id = newUuid(sec * 1_000);
    await addEvent({ id, conversation_id, agent_id, type: 'conversation.ended' });
    const tried = await addEvent({ id: newUuid(sec * 1_000 + 2), endpoint_id: OTHER });
    const by = async (filter: object): Promise<string[]> =>
      (await read({ filter: { withTests: true, ...filter } })).ids;
    expect(await by({})).toEqual([before, id, tried]);
    expect(await by({ withTests: false })).toEqual([before, id]);
    expect(await by({ types: ['conversation.ended', 'agent.rolled_back'] })).toEqual([id]);
    expect(await by({ conversationId: conversation_id })).toEqual([id]);
    expect(await by({ agentId: agent_id })).toEqual([id]);
    expect(await by({ createdAfter: sec })).toEqual([id, tried]);
    expect(await by({ createdBefore: sec })).toEqual([before]);
  });

  test('has a last event before a position', async () => {
    const [early, late] = [await addEvent({ xid: '20' }), await addEvent({ xid: '10' })];
    const foreign = await addEvent({ namespace: 'other', xid: '15' });
    const before = async (xid: bigint, id: string, over: object = {}) =>
      (
        await lastEventBefore(stored.pool, {
          namespace: 'default',
          position: { xid, id },
          sinceMs: Date.now(),
          ...over,
        })
      )?.id;
    expect(await before(21n, START.id)).toBe(early);
    expect(await before(20n, early)).toBe(late);
    expect(await before(10n, late)).toBeUndefined();
    expect(await before(21n, START.id, { namespace: 'other' })).toBe(foreign);
    const sinceMs = Date.now() + DAY_MS + 60_000;
    expect(await before(21n, START.id, { sinceMs })).toBeUndefined();
  });

  test('of another server is put first, from the first transaction that has not begun', async () => {
    const older = await addEvent();
    expect(await healStreamOrder(stored.pool)).toBe(0);
    const client = await stored.pool.connect();
    try {
      await client.query('begin isolation level repeatable read');
      const { rows } = await client.query<{ xmax: string }>(
        'select pg_snapshot_xmax(pg_current_snapshot())::text as xmax',
      );
      const id = newUuid();
      await client.query(
        `insert into events (id, namespace, type, body, xid) values ($1, 'default', 't', '', $2)`,
        [id, rows[0]!.xmax],
      );
      expect(await healStreamOrder(client)).toBe(1);
      expect(await findStreamPosition(client, { namespace: 'default', id })).toEqual({
        xid: 0n,
        id,
      });
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(
      await findStreamPosition(stored.pool, { namespace: 'default', id: older }),
    ).toMatchObject({
      xid: 10n,
    });
  });
});

describe('an erased conversation', () => {
  const bodyOf = (id: string, data: object): Buffer =>
    encodeEnvelope({
      id: fromUuid('evt', id),
      type: 'escalation.requested',
      created: 1,
      data: data as (typeof EVENT_SAMPLES)['escalation.requested'],
    });
  const addSaid = (data: object, columns: Columns = {}): Promise<string> => {
    const id = newUuid();
    return addEvent({ id, conversation_id: OTHER, body: bodyOf(id, data), ...columns });
  };
  const dataOf = async (id: string): Promise<object> => {
    const row = await readEvent(stored.pool, { namespace: 'default', id });
    return (JSON.parse(row!.body.toString()) as { data: object }).data;
  };

  test.each(['deliver', 'cancel'] as const)('changes its own events once: %s', async (events) => {
    const said = await addSaid({ reason: 'secret', count: 1 });
    const named = await addSaid({ user_id: 'u', count: 2 });
    const kept = [
      await addSaid({ count: 3 }),
      await addSaid({ reason: 'secret' }, { erased_at: new Date() }),
      await addSaid({ reason: 'secret' }, { redacted_at: new Date() }),
      await addSaid({ reason: 'secret' }, { conversation_id: newUuid() }),
    ];
    const before = await Promise.all(kept.map(dataOf));
    const erase = () => eraseEventsOf(stored.pool, { conversationId: OTHER, events, erased: '…' });
    expect(await erase()).toEqual([said, named]);
    expect(await erase()).toEqual([]);
    const isKept = events === 'deliver';
    expect(await dataOf(said)).toEqual(isKept ? { reason: '…', count: 1 } : {});
    expect(await dataOf(named)).toEqual(isKept ? { count: 2 } : {});
    expect(await Promise.all(kept.map(dataOf))).toEqual(before);
  });
});

test('an event that was put aside is taken once, by its number or the oldest', async () => {
  const data = EVENT_SAMPLES['agent.published'];
  const add = (namespace: string) =>
    insertDeferred(stored.pool, { namespace, type: 'agent.published', data });
  await add('first');
  await add('second');
  const third = await add('third');
  const take = async (id: string | null) => (await takeDeferred(stored.pool, id))?.namespace;
  expect(await take(third)).toBe('third');
  expect(await take(third)).toBeUndefined();
  expect(await take(null)).toBe('first');
  expect(await take(null)).toBe('second');
  expect(await take(null)).toBeUndefined();
});

describe('the outbox', () => {
  const addEndpoint = async (columns: Columns = {}): Promise<string> => {
    const id = newUuid();
    const row = { id, namespace: 'default', name: id, uid: newUuid(), generation: 1 };
    const declared = { url: 'https://x.example', event_types: '{}', description: '' };
    const rest = { managed_by: 'api', enabled: true, headers: '{}', metadata: '{}' };
    await stored.add('webhook_endpoints', { ...row, ...declared, ...rest, ...columns });
    return id;
  };
  const LEFT_OUT = [{ enabled: false }, { deleted_at: new Date() }, { namespace: 'other' }];

  test('queues an event for the endpoints of its namespace that want it', async () => {
    const all = await addEndpoint();
    const own = await addEndpoint({ event_types: '{agent.published}' });
    await addEndpoint({ event_types: '{agent.rolled_back}' });
    for (const columns of LEFT_OUT) await addEndpoint(columns);
    const event = { id: newUuid(), namespace: 'default', body: Buffer.from('{}') };
    const [queued] = await insertEvents(stored.pool, [{ ...event, type: 'agent.published' }]);
    expect(queued!.toSorted()).toEqual([all, own].toSorted());
  });

  test('stores each of several events with its own values, for the endpoints of its own type', async () => {
    const all = await addEndpoint();
    const own = await addEndpoint({ event_types: '{agent.published}' });
    const conversationId = newUuid();
    const events: NewEvent[] = [
      {
        id: newUuid(),
        namespace: 'default',
        type: 'conversation.ended',
        conversationId,
        agentId: OTHER,
        sequence: 3,
        body: Buffer.from('{"first":"ä"}'),
        traceparent: '00-1',
      },
      { id: newUuid(), namespace: 'default', type: 'agent.published', body: Buffer.from('{}') },
      { id: newUuid(), namespace: 'other', type: 'agent.published', body: Buffer.from('[2]') },
    ];
    const queued = await insertEvents(stored.pool, events);
    expect(queued.map((ids) => ids.toSorted())).toEqual([[all], [all, own].toSorted(), []]);
    const written = await stored.read('events', 'id');
    const columns = (event: NewEvent) => ({
      id: event.id,
      namespace: event.namespace,
      type: event.type,
      conversation_id: event.conversationId ?? null,
      agent_id: event.agentId ?? null,
      body: event.body,
      traceparent: event.traceparent ?? null,
    });
    expect(written).toMatchObject(events.map(columns)); // Ids sort in the order of their creation.
    const deliveries = await stored.read('delivery_queue', 'event_id');
    const [first] = deliveries.filter((one) => one['event_id'] === events[0]!.id);
    expect(first).toMatchObject({ conversation_id: conversationId, sequence: 3 });
    expect(deliveries).toHaveLength(3);
  });

  const testEvent = (endpointId: string, over: object = {}): NewTestEvent => ({
    id: newUuid(),
    deliveryId: newUuid(),
    namespace: 'default',
    type: 'agent.published',
    endpointId,
    body: Buffer.from('{}'),
    ...over,
  });

  test('stores a test event for an endpoint that is there, enabled, and of its namespace', async () => {
    const own = testEvent(await addEndpoint());
    const left: NewTestEvent[] = [testEvent(OTHER)];
    for (const columns of LEFT_OUT) left.push(testEvent(await addEndpoint(columns)));
    expect(await insertTestEvents(stored.pool, [own, ...left])).toEqual(new Set([own.deliveryId]));
    expect(await stored.read('events')).toMatchObject([{ id: own.id }]);
  });

  test.each([99, 100])('names %i namespaces of test events, or all', async (count) => {
    const namespaces = Array.from({ length: count }, (_, i) => `n${i}`);
    const events: NewTestEvent[] = [];
    for (const namespace of namespaces) {
      events.push(testEvent(await addEndpoint({ namespace }), { namespace }));
    }
    const listener = await stored.pool.connect();
    try {
      const told = new Promise<string | undefined>((resolve) => {
        listener.on('notification', ({ channel, payload }) => {
          if (channel === CHANNELS.events) resolve(payload);
        });
      });
      await listener.query(`listen ${CHANNELS.events}`);
      await insertTestEvents(stored.pool, events);
      const payload = (await told)!.split(',').toSorted();
      expect(payload).toEqual(count < 100 ? namespaces.toSorted() : ['*']);
    } finally {
      listener.release(true);
    }
  });
});
