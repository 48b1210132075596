import { describe, expect, test } from 'vitest';
import { lowestUuidAt, newUuid } from '../../../src/ids.ts';
import {
  claimDeliveries,
  createPostgresQueue,
  listDueEndpoints,
  markStarted,
} from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { measureBacklog } from '../../../src/webhooks/queue/delivery-stats.sql.ts';
import type { ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** What is claimed and in which order, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES, 'endpoint_health');
const { addEvent, addQueued, addEndpoint } = queueRows(stored);

const OLD = Buffer.alloc(1, 1);
const NEW = Buffer.alloc(1, 2);
const [EARLIER, PAST, LATER] = [minutesAgo(3), minutesAgo(1), minutesAgo(-60)];
const JOB = newUuid();
const LEASED = { lease_token: newUuid(), leased_at: PAST };

const endpoint = (columns: Columns = {}): Promise<string> =>
  addEndpoint({ secret: OLD, ...columns });
const claim = (
  endpointId: string,
  { slots = 9, yieldingSlots = 9 } = {},
): Promise<ClaimedDelivery[]> => {
  const lease = { leaseToken: newUuid(), processNumber: null };
  return claimDeliveries(stored.pool, [{ endpointId, slots, yieldingSlots }], lease);
};
const claimedIds = async (...of: Parameters<typeof claim>): Promise<string[]> =>
  (await claim(...of)).map(({ id }) => id);

describe('a claim', () => {
  test('signs with the secret of the moment, and has the other one while it is live', async () => {
    const rotation = { next_secret: NEW, old_secret_until: LATER };
    for (const [columns, secret, otherSecret] of [
      [{}, OLD, null],
      [{ ...rotation, next_secret_at: LATER }, OLD, NEW],
      [{ ...rotation, next_secret_at: PAST }, NEW, OLD],
      [{ ...rotation, next_secret_at: PAST, old_secret_until: PAST }, NEW, null],
    ] as const) {
      const endpoint_id = await endpoint(columns);
      await addQueued({ endpoint_id });
      expect(await claim(endpoint_id)).toMatchObject([{ secret, otherSecret }]);
    }
  });

  test.each([
    ['that was asked for, before its first attempt', { manual: true, ahead: true }],
    ['that was asked for, and failed before', { manual: true, ahead: true, attempt: 1 }],
    ['that was asked for, of a job', { manual: true, ahead: true, job_id: JOB }],
    ['that a job asked for', { manual: true, attempt: 1 }],
    ['of a job that failed before', { attempt: 1, job_id: JOB }],
    ['that is new', {}],
  ])('has a delivery once %s', async (_, columns) => {
    const endpoint_id = await endpoint();
    const id = await addQueued({ endpoint_id, run_at: PAST, ...columns });
    expect(await claimedIds(endpoint_id)).toEqual([id]);
  });

  test.each([
    ['is due later', { run_at: LATER }],
    ['belongs to another endpoint', { endpoint_id: newUuid() }],
  ])('has nothing that %s', async (_, columns) => {
    const endpoint_id = await endpoint();
    await addQueued({ endpoint_id, ...columns });
    expect(await claimedIds(endpoint_id)).toEqual([]);
  });

  test.each([
    ['of a job', { job_id: JOB }],
    ['that failed before', { attempt: 1 }],
    ['of a job that failed before', { job_id: JOB, attempt: 1 }],
  ])('has no more deliveries %s than the slots that yield', async (_, columns) => {
    const endpoint_id = await endpoint();
    for (let i = 0; i < 3; i += 1) await addQueued({ endpoint_id, ...columns });
    const claimed = await claim(endpoint_id, { slots: 3, yieldingSlots: 1 });
    expect(claimed.map(({ yields }) => yields)).toEqual([true]);
  });

  test('records a lost attempt with what started it', async () => {
    const endpoint_id = await endpoint();
    const lost = { endpoint_id, run_at: PAST, attempt: 1, ...LEASED };
    const ids = [await addQueued(lost), await addQueued({ ...lost, manual: true })];
    await addQueued({ endpoint_id, run_at: PAST, attempt: 1 });
    const claimed = await claim(endpoint_id);
    expect(claimed.map((one) => one.lost)).toEqual([true, true, false]);
    const attempts = await stored.read('delivery_attempts', 'delivery_id');
    expect(attempts.map((row) => [row['delivery_id'], row['trigger']])).toEqual([
      [ids[0], 'schedule'],
      [ids[1], 'manual'],
    ]);
  });

  describe.each([
    ['of today', 0],
    ['of last week', 7 * 24 * 60],
  ])('of an event %s', (_, ageMinutes) => {
    const idAt = (order: number): string =>
      lowestUuidAt(minutesAgo(ageMinutes).getTime() + order).slice(0, 14) + newUuid().slice(14);
    const add = async (columns: Columns): Promise<string> => {
      const day = minutesAgo(ageMinutes).toISOString().slice(0, 10);
      const [from, to] = [0, 1].map((days) => lowestUuidAt(Date.parse(day) + days * 86_400_000));
      await stored.pool.query(
        `create table if not exists events_${day.replaceAll('-', '')} partition of events
           for values from ('${from}') to ('${to}')`,
      );
      return addEvent(columns);
    };

    test('brings its own body along', async () => {
      const endpoint_id = await endpoint();
      const ids = [];
      for (const [at, text] of ['one', 'two', 'three'].entries()) {
        ids.push(await add({ id: idAt(at), body: Buffer.from(text) }));
      }
      await addQueued({ endpoint_id, event_id: ids[1] });
      const [claimed] = await claim(endpoint_id);
      expect(String(claimed!.body)).toBe('two');
    });

    test('has no body if it was erased', async () => {
      const endpoint_id = await endpoint();
      const event_id = await add({ id: idAt(0), erased_at: PAST });
      await add({ id: idAt(1) });
      await addQueued({ endpoint_id, event_id });
      expect(await claim(endpoint_id)).toMatchObject([{ eventId: event_id, body: null }]);
    });
  });
});

describe('the deliveries of a conversation', () => {
  const conversation_id = newUuid();
  const of = (endpoint_id: string, sequence: number, columns: Columns = {}) =>
    addQueued({ endpoint_id, conversation_id, sequence, run_at: PAST, ...columns });

  test.each([
    ['is attempted now', { run_at: LATER, attempt: 1, ...LEASED }],
    ['is due later', { run_at: LATER }],
    ['has lost its attempt', { run_at: EARLIER, attempt: 1, ...LEASED }],
  ])('wait for an earlier one that %s, and take no slot meanwhile', async (_, earlier) => {
    const endpoint_id = await endpoint();
    await of(endpoint_id, 1, earlier);
    const waiting = await of(endpoint_id, 2);
    const alone = await addQueued({ endpoint_id, run_at: minutesAgo(0) });
    expect(await claimedIds(endpoint_id, { slots: 1, yieldingSlots: 0 })).toEqual([alone]);
    const row = await stored.rowOf('delivery_queue', waiting);
    expect(row).toMatchObject({ attempt: 0, lease_token: null });
  });

  const WAITS = { run_at: LATER, attempt: 1, ...LEASED };
  test.each([
    ['has started', { ...WAITS, started: true }, {}],
    ['goes to another endpoint', { ...WAITS, endpoint_id: newUuid() }, {}],
    ['is of another conversation', { ...WAITS, conversation_id: newUuid() }, {}],
    ['is a later one', { ...WAITS, sequence: 9 }, {}],
    ['is an earlier one, once they have started', WAITS, { started: true, attempt: 1 }],
  ] as [string, Columns, Columns][])('do not wait for one that %s', async (_, earlier, own) => {
    const endpoint_id = await endpoint();
    await of(endpoint_id, 1, earlier);
    const id = await of(endpoint_id, 2, own);
    expect(await claimedIds(endpoint_id)).toEqual([id]);
  });

  test('are claimed together, in their order', async () => {
    const endpoint_id = await endpoint();
    const ids = [await of(endpoint_id, 1), await of(endpoint_id, 2)];
    expect(await claimedIds(endpoint_id, { slots: 1 })).toEqual(ids.slice(0, 1));
    await markStarted(stored.pool, ids.slice(0, 1));
    expect((await stored.read('delivery_queue')).map((row) => row['started'])).toEqual([
      true,
      false,
    ]);
    expect(await claimedIds(endpoint_id)).toEqual(ids.slice(1));
  });

  test.each([
    ['nothing', false, false, {}],
    ['a later one of its conversation', true, true, {}],
    ['an earlier one of its conversation', false, true, { sequence: 1 }],
    ['one that has started', false, true, { started: true }],
    ['one that is attempted', false, true, { attempt: 1, ...LEASED }],
    ['one of another conversation', false, true, { conversation_id: newUuid() }],
    ['one of another endpoint', false, true, { endpoint_id: newUuid() }],
  ] as [string, boolean, boolean, Columns][])(
    'are followed, after a start, by %s: %s',
    async (_, isFollowed, isThere, columns) => {
      const endpoint_id = await endpoint();
      const id = await of(endpoint_id, 2, { attempt: 1, ...LEASED });
      if (isThere) await of(endpoint_id, 3, columns);
      const last = await markStarted(stored.pool, [id, newUuid()]);
      expect([...last]).toEqual(isFollowed ? [] : [id]);
    },
  );
});

describe('an endpoint', () => {
  const due = async (): Promise<Map<string, boolean>> =>
    new Map(
      (await listDueEndpoints(stored.pool)).endpoints.map((one) => [one.endpointId, one.hasAhead]),
    );

  test.each([
    ['a new delivery', {}],
    ['a delivery that failed before', { attempt: 1 }],
    ['a delivery of a job', { job_id: JOB }],
    ['a delivery of a job that failed before', { job_id: JOB, attempt: 1 }],
  ])('is due with %s', async (_, columns) => {
    const endpoint_id = await endpoint();
    await addQueued({ endpoint_id: await endpoint(), run_at: LATER });
    await addQueued({ endpoint_id, ...columns });
    expect(await due()).toEqual(new Map([[endpoint_id, false]]));
  });

  test.each([
    ['is disabled', { enabled: false }],
    ['is deleted', { deleted_at: PAST }],
    ['has no secret', { secret: null }],
  ])('is not due while it %s', async (_, columns) => {
    const endpoint_id = await endpoint(columns);
    await addQueued({ endpoint_id });
    expect(await due()).toEqual(new Map());
    expect(await claimedIds(endpoint_id)).toEqual([]);
  });

  test('that is due later is not listed, and the earliest tells when to look again', async () => {
    const next = async (): Promise<number | null> => (await listDueEndpoints(stored.pool)).nextInMs;
    expect(await next()).toBeNull();
    await addQueued({ endpoint_id: await endpoint() });
    expect(await next()).toBeNull();
    const inSec = (sec: number): Date => new Date(Date.now() + sec * 1_000);
    await addQueued({ endpoint_id: await endpoint(), run_at: inSec(7_200) });
    await addQueued({ endpoint_id: await endpoint(), run_at: inSec(3_600) });
    await addQueued({ endpoint_id: await endpoint({ enabled: false }), run_at: inSec(60) });
    const inMs = (await next())!;
    expect(Math.ceil(inMs / 3_600_000)).toBe(1);
    expect([...(await due()).keys()]).toHaveLength(1);
  });

  test('is listed with its namespace, which can be looked up as long as there is a row', async () => {
    const ids = [
      await endpoint(),
      await endpoint({ namespace: 'other' }),
      await endpoint({ deleted_at: PAST }),
    ];
    for (const endpoint_id of ids) await addQueued({ endpoint_id });
    const { endpoints } = await listDueEndpoints(stored.pool);
    const listed = new Map(endpoints.map((one) => [one.endpointId, one.namespace]));
    expect(listed).toEqual(
      new Map([
        [ids[0], 'default'],
        [ids[1], 'other'],
      ]),
    );
    const db = stored.pool;
    const queue = createPostgresQueue({ db, claims: db, completions: db, processNumber: 1 });
    expect(await queue.namespacesOf([...ids.slice(1), newUuid()])).toEqual(
      new Map([
        [ids[1], 'other'],
        [ids[2], 'default'],
      ]),
    );
  });

  test('has something ahead if it is its own, was asked for first, and is due', async () => {
    const ids = [await endpoint(), await endpoint(), await endpoint()];
    for (const endpoint_id of ids) await addQueued({ endpoint_id });
    await addQueued({ endpoint_id: ids[0]!, manual: true, ahead: true });
    await addQueued({ endpoint_id: ids[1]!, manual: true });
    await addQueued({ endpoint_id: ids[2]!, manual: true, ahead: true, run_at: LATER });
    expect([...(await due()).values()]).toEqual([true, false, false]);
  });
});

describe('the backlog', () => {
  test('counts what is no test, and the age of what could be attempted now', async () => {
    const [own, disabled, bare] = [
      await endpoint(),
      await endpoint({ enabled: false }),
      await endpoint({ secret: null }),
    ];
    const old = { due_at: minutesAgo(5 * 60), run_at: PAST };
    await addQueued({ endpoint_id: disabled, ...old });
    await addQueued({ endpoint_id: bare, ...old });
    await addQueued({ endpoint_id: own, ...old, run_at: LATER });
    await addQueued({ endpoint_id: own, ...old, test: true });
    await addQueued({ endpoint_id: own, ...old, trigger: 'test' });
    expect(await measureBacklog(stored.pool)).toMatchObject({ pending: 3, oldestDueAgeSec: 0 });
    await addQueued({ endpoint_id: own, due_at: minutesAgo(90), run_at: PAST });
    const { pending, oldestDueAgeSec } = await measureBacklog(stored.pool);
    expect([pending, Math.floor(oldestDueAgeSec / 3_600)]).toEqual([4, 1]);
  });

  test('counts endpoints by their state until they are deleted', async () => {
    const withHealth = async (health: Columns, columns: Columns = {}): Promise<void> => {
      const endpoint_id = await endpoint({ ready: true, ...columns });
      await stored.add('endpoint_health', { endpoint_id, ...health });
    };
    const failing = { last_failure_at: PAST };
    await withHealth(failing);
    await withHealth({ last_success_at: PAST });
    await withHealth({ last_success_at: PAST, last_failure_at: PAST });
    await withHealth({ last_success_at: PAST, last_failure_at: EARLIER });
    await withHealth(failing, { ready: false });
    await withHealth(failing, { ready: false });
    await withHealth(failing, { enabled: false, ready: false });
    await withHealth(failing, { deleted_at: PAST });
    const { endpoints } = await measureBacklog(stored.pool);
    expect(endpoints).toEqual({ failing: 1, healthy: 3, not_ready: 2, disabled: 1 });
  });
});
