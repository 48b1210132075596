import { describe, expect, test } from 'vitest';
import type { EventType } from '../../../src/events/event-types.ts';
import { newUuid } from '../../../src/ids.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';
import {
  advanceJob,
  countBulk,
  countPage,
  countRunningJobs,
  finishJob,
  hasUnsent,
  insertReplay,
  insertReplays,
  listJobs,
  listPending,
  listRunningJobs,
  lockRunningJob,
  readJob,
  type ReplayMode,
  type ReplayScope,
} from '../../../src/webhooks/replay/jobs.sql.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Each statement about replays, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES);
const { addEvent, addQueued, addDelivery, addEndpoint, addJob } = queueRows(stored);

const [OWN, OTHER, JOB] = [newUuid(), newUuid(), newUuid()];
const [FIRST, LAST] = [newUuid(Date.now() - 60_000), newUuid(Date.now() + 60_000)];

const scopeOf = (over: Partial<ReplayScope> = {}): ReplayScope => ({
  namespace: 'default',
  endpointId: OWN,
  mode: 'all',
  types: ['agent.published'],
  testTypes: ['agent.published'],
  from: FIRST,
  to: LAST,
  ...over,
});

const countOf = async (over: Partial<ReplayScope> = {}): Promise<number> =>
  (await countPage(stored.pool, scopeOf(over), 100)).count;

/** Ids of the events that a job queues for the endpoint, whatever was queued before. */
async function replayed(over: Partial<ReplayScope> = {}): Promise<unknown[]> {
  const input = { scope: scopeOf(over), jobId: newUuid(), events: 100, room: 100 };
  await insertReplays(stored.pool, input);
  const made = await stored.read('delivery_queue', 'event_id');
  return made.filter((row) => row['job_id'] === input.jobId).map((row) => row['event_id']);
}

describe('the events of a replay', () => {
  test('failed and missing look at what became of an event at this endpoint', async () => {
    const outcomes: [ReplayMode | 'neither', (event_id: string) => Promise<unknown>[]][] = [
      ['missing', () => []],
      ['missing', (event_id) => [addDelivery({ event_id, endpoint_id: OTHER })]],
      ['missing', (event_id) => [addQueued({ event_id, endpoint_id: OTHER })]],
      ['failed', (event_id) => [addDelivery({ event_id, endpoint_id: OWN, status: 'failed' })]],
      ['failed', (event_id) => [addDelivery({ event_id, endpoint_id: OWN, status: 'canceled' })]],
      [
        'failed',
        (event_id) => [
          addDelivery({ event_id, endpoint_id: OWN, status: 'failed' }),
          addDelivery({ event_id, endpoint_id: OTHER }),
          addQueued({ event_id, endpoint_id: OTHER }),
        ],
      ],
      ['neither', (event_id) => [addDelivery({ event_id, endpoint_id: OWN })]],
      ['neither', (event_id) => [addQueued({ event_id, endpoint_id: OWN })]],
      [
        'neither',
        (event_id) => [
          addDelivery({ event_id, endpoint_id: OWN, status: 'failed' }),
          addQueued({ event_id, endpoint_id: OWN }),
        ],
      ],
      [
        'neither',
        (event_id) => [
          addDelivery({ event_id, endpoint_id: OWN, status: 'failed' }),
          addDelivery({ event_id, endpoint_id: OWN }),
        ],
      ],
    ];
    const events: Record<string, string[]> = { missing: [], failed: [], neither: [] };
    for (const [mode, rows] of outcomes) {
      const id = await addEvent();
      events[mode]!.push(id);
      await Promise.all(rows(id));
    }
    expect(await replayed({ mode: 'retrying' })).toEqual([]);
    expect(await countOf({ mode: 'all' })).toBe(outcomes.length);
    expect(await replayed({ mode: 'failed' })).toEqual(events['failed']);
    expect(await replayed({ mode: 'missing' })).toEqual(events['missing']);
  });

  test('have a type, and test events one of their own types and this endpoint', async () => {
    const scope = { types: ['agent.published'] as EventType[] };
    const tests = { ...scope, testTypes: ['conversation.started'] as EventType[] };
    const one = await addEvent();
    const own = await addEvent({ type: 'conversation.started', endpoint_id: OWN });
    await addEvent({ type: 'conversation.started' });
    await addEvent({ endpoint_id: OWN });
    await addEvent({ endpoint_id: OTHER });
    await addEvent({ type: 'conversation.started', endpoint_id: OTHER });
    expect(await replayed(tests)).toEqual([one, own]);
    const rows = await stored.read('delivery_queue', 'event_id');
    expect(rows.map((row) => [row['event_type'], row['test'], row['trigger']])).toEqual([
      ['agent.published', false, 'replay'],
      ['conversation.started', true, 'replay'],
    ]);
  });

  test('are of the namespace, and have their words', async () => {
    const kept = await addEvent();
    await addEvent({ namespace: 'other' });
    await addEvent({ erased_at: new Date() });
    await addEvent({ redacted_at: new Date() });
    expect(await replayed()).toEqual([kept]);
  });

  test('begin with the first one of the span and end before the last one', async () => {
    const [before, from, between, to] = [
      await addEvent(),
      await addEvent(),
      await addEvent(),
      await addEvent(),
    ];
    expect(await replayed({ from, to })).toEqual([from, between]);
    expect(await countOf({ from: before, to: from })).toBe(1);
  });

  test('go on after the last one that was looked at, or after the last one that had room', async () => {
    const events = [await addEvent(), await addEvent(), await addEvent()];
    await addEvent({ erased_at: new Date() });
    const after = await addEvent({ erased_at: new Date() });
    const insert = (from: string, room: number) =>
      insertReplays(stored.pool, { scope: scopeOf({ from }), jobId: JOB, events: 5, room });
    expect(await insert(FIRST, 2)).toEqual({ made: 2, cursor: events[1] });
    expect(await insert(events[2]!, 2)).toEqual({ made: 1, cursor: after });
    expect(await insert(LAST, 2)).toEqual({ made: 0, cursor: null });
    expect(await countPage(stored.pool, scopeOf(), 5)).toEqual({ count: 3, next: after });
    expect(await countPage(stored.pool, scopeOf(), 6)).toEqual({ count: 3, next: null });
  });
});

describe('what a job made', () => {
  test('is counted for its endpoint, up to a number', async () => {
    await addQueued({ endpoint_id: OWN, job_id: JOB });
    await addQueued({ endpoint_id: OWN, job_id: newUuid() });
    await addQueued({ endpoint_id: OWN });
    await addQueued({ endpoint_id: OTHER, job_id: JOB });
    expect(await countBulk(stored.pool, { endpointId: OWN, max: 9 })).toBe(2);
    expect(await countBulk(stored.pool, { endpointId: OWN, max: 1 })).toBe(1);
  });

  test.each([
    ['for another endpoint', { endpoint_id: OTHER, job_id: JOB }],
    ['by another job', { endpoint_id: OWN, job_id: newUuid() }],
    ['by no job', { endpoint_id: OWN }],
    ['and attempted', { endpoint_id: OWN, job_id: JOB, attempt: 1 }],
  ])('is not waiting: one %s', async (_, columns) => {
    await addQueued(columns);
    expect(await hasUnsent(stored.pool, { endpointId: OWN, id: JOB })).toBe(false);
    await addQueued({ endpoint_id: OWN, job_id: JOB });
    expect(await hasUnsent(stored.pool, { endpointId: OWN, id: JOB })).toBe(true);
  });
});

describe('the replay of one event', () => {
  const replay = async (
    endpointId: string | null,
    event: { type?: EventType; endpointId?: string | null } = {},
  ): Promise<string[]> => {
    const made = await insertReplay(stored.pool, {
      event: {
        id: newUuid(),
        namespace: 'default',
        type: 'agent.published',
        endpointId: null,
        ...event,
      } as Parameters<typeof insertReplay>[1]['event'],
      endpointId,
    });
    return made.map((one) => one.endpointId);
  };

  test('goes to each enabled endpoint of the namespace that is subscribed', async () => {
    const all = await addEndpoint();
    const some = await addEndpoint({ event_types: ['agent.published'] });
    const glob = await addEndpoint({ event_types: ['agent.*'] });
    await addEndpoint({ event_types: ['conversation.started'] });
    await addEndpoint({ namespace: 'other' });
    await addEndpoint({ enabled: false });
    await addEndpoint({ deleted_at: new Date() });
    expect(await replay(null)).toEqual([all, some, glob]);
  });

  test('goes to one endpoint alone, whatever it subscribes to', async () => {
    await addEndpoint();
    const one = await addEndpoint({ event_types: ['conversation.started'] });
    const disabled = await addEndpoint({ enabled: false });
    expect(await replay(one)).toEqual([one]);
    expect(await replay(disabled)).toEqual([]);
  });

  test('goes only to the endpoint of a test event', async () => {
    const other = await addEndpoint();
    const own = await addEndpoint({ event_types: ['conversation.started'] });
    expect(await replay(null, { endpointId: own })).toEqual([own]);
    expect(await replay(own, { endpointId: own })).toEqual([own]);
    expect(await replay(other, { endpointId: own })).toEqual([]);
    const rows = await stored.read('delivery_queue');
    expect(rows.map((row) => row['test'])).toEqual([true, true]);
  });

  test('finds the deliveries that wait, but for those that it made', async () => {
    const event_id = newUuid();
    const waiting = await addQueued({ endpoint_id: OWN, event_id });
    const made = await addQueued({ endpoint_id: OWN, event_id });
    await addQueued({ endpoint_id: OTHER, event_id });
    await addQueued({ endpoint_id: OWN });
    const of = { eventId: event_id, endpointIds: [OWN], except: [made] };
    expect(await listPending(stored.pool, of)).toEqual([waiting]);
  });
});

describe('jobs', () => {
  test('are read by namespace and id', async () => {
    const id = await addJob({ endpoint_id: OWN });
    await addJob({ endpoint_id: OWN, namespace: 'other' });
    const read = (namespace: string, of: string) =>
      readJob(stored.pool, { namespace, id: of }).then((row) => row?.id);
    expect(await read('default', id)).toBe(id);
    expect(await read('other', id)).toBeUndefined();
    expect(await read('default', newUuid())).toBeUndefined();
  });

  test('are listed with each filter, newest first', async () => {
    const first = await addJob({ endpoint_id: OWN });
    const second = await addJob({ endpoint_id: OTHER, status: 'done' });
    await addJob({ endpoint_id: OWN, namespace: 'other' });
    const list = async (over: Partial<Parameters<typeof listJobs>[1]> = {}): Promise<string[]> => {
      const filter = { namespace: 'default', before: undefined, limit: 9, ...over };
      return (await listJobs(stored.pool, filter)).map(({ id }) => id);
    };
    expect(await list()).toEqual([second, first]);
    expect(await list({ before: second })).toEqual([first]);
    expect(await list({ limit: 1 })).toEqual([second]);
    expect(await list({ status: 'done' })).toEqual([second]);
    expect(await list({ endpointId: OWN })).toEqual([first]);
  });

  test('are counted while they run, for the namespace and for who started them', async () => {
    await addJob({ endpoint_id: OWN, actor: 'a' });
    await addJob({ endpoint_id: OWN, actor: 'b' });
    await addJob({ endpoint_id: OWN, actor: 'a', status: 'done' });
    await addJob({ endpoint_id: OWN, actor: 'a', namespace: 'other' });
    const counted = await countRunningJobs(stored.pool, { namespace: 'default', actor: 'a' });
    expect(counted).toEqual({ namespace: 2, key: 1 });
  });

  test('are found while they run, page by page, and locked by one process', async () => {
    const first = await addJob({ endpoint_id: OWN, namespace: 'other' });
    const second = await addJob({ endpoint_id: OWN });
    const over = await addJob({ endpoint_id: OWN, status: 'stopped' });
    const page = async (after: string | null): Promise<string[]> =>
      (await listRunningJobs(stored.pool, after)).map(({ id }) => id);
    expect(await page(null)).toEqual([first, second]);
    expect(await page(first)).toEqual([second]);
    expect(await page(second)).toEqual([]);
    await inTransaction(stored.pool, async (client) => {
      expect((await lockRunningJob(client, second))?.id).toBe(second);
      expect(await lockRunningJob(stored.pool, second)).toBeUndefined();
    });
    expect(await lockRunningJob(stored.pool, over)).toBeUndefined();
  });

  test('advance and end alone, and once', async () => {
    const [own, other] = [
      await addJob({ endpoint_id: OWN, total: 3 }),
      await addJob({ endpoint_id: OWN, total: 3 }),
    ];
    const cursor = newUuid();
    await advanceJob(stored.pool, { id: own, cursor, made: 2 });
    expect(await stored.rowOf('jobs', own)).toMatchObject({ cursor, done: 2, total: 3 });
    expect(await stored.rowOf('jobs', other)).toMatchObject({ cursor: null, done: 0 });
    const end = (id: string, status: 'done' | 'stopped', namespace = 'default') =>
      finishJob(stored.pool, { namespace, id, status }).then((row) => row?.total);
    expect(await end(own, 'done', 'other')).toBeUndefined();
    expect(await end(own, 'done')).toBe(2);
    expect(await end(own, 'stopped')).toBeUndefined();
    expect(await stored.rowOf('jobs', other)).toMatchObject({ status: 'running' });
    expect(await end(other, 'stopped')).toBe(3);
  });
});
