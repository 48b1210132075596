import { describe, expect, onTestFinished, test } from 'vitest';
import { lowestUuidAt, newUuid } from '../../../src/ids.ts';
import { createClient } from '../../../src/platform/postgres/pool.ts';
import {
  countDeliveries,
  explainableDeliveries,
  readDelivery,
} from '../../../src/webhooks/queue/deliveries.sql.ts';
import {
  endLeasesOf,
  listDeliveryProcesses,
  lockDeliveryProcess,
  markStopping,
  removeDeliveryProcess,
} from '../../../src/webhooks/queue/delivery-processes.sql.ts';
import {
  countUnfinishedIn,
  readDeliveryStats,
} from '../../../src/webhooks/queue/delivery-stats.sql.ts';
import { listDeliveries } from '../../../src/webhooks/queue/list-deliveries.sql.ts';
import { databaseUrl } from '../../platform/postgres/postgres.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Each statement that reads deliveries, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES, 'delivery_processes');
const { addQueued, addDelivery, addEndpoint } = queueRows(stored);

const [OWN, OTHER] = [newUuid(), newUuid()];
const [PAST, LATER] = [minutesAgo(1), minutesAgo(-60)];
const LEASED = { lease_token: newUuid(), leased_at: PAST, run_at: LATER };

describe('a delivery on its way', () => {
  const read = async (columns: Columns) => {
    const id = await addQueued({ endpoint_id: OWN, ...columns });
    return (await readDelivery(stored.pool, { namespace: 'default', id }))!;
  };

  test.each([
    ['is pending before its first attempt', { attempt: 0 }, 'pending', 0],
    ['is pending in its first attempt', { attempt: 1, ...LEASED }, 'pending', 0],
    ['is retrying after its first attempt', { attempt: 1 }, 'retrying', 1],
    ['is retrying in its second attempt', { attempt: 2, ...LEASED }, 'retrying', 1],
  ] as const)('%s', async (_, columns, status, attemptCount) => {
    expect(await read(columns)).toMatchObject({ status, attemptCount });
  });

  test('is in flight as long as its lease', async () => {
    expect((await read(LEASED)).inFlightSince).toBe(PAST.getTime());
    expect((await read({ ...LEASED, run_at: PAST })).inFlightSince).toBeNull();
  });

  test.each([
    ['by its schedule', {}, LATER],
    ['when somebody asked for it', { manual: true }, PAST],
    [
      'by its schedule while what somebody asked for is attempted',
      { manual: true, ...LEASED },
      LATER,
    ],
  ])('is attempted next %s', async (_, columns, next) => {
    const event_id = newUuid();
    const times = { event_id, due_at: LATER, run_at: PAST };
    expect((await read({ ...times, ...columns })).nextAttemptAt).toBe(next.getTime());
    const of = { eventId: event_id, endpointId: OWN };
    expect(await explainableDeliveries(stored.pool, of)).toMatchObject([{ dueAt: next.getTime() }]);
  });
});

test.each([
  ['queued', addQueued],
  ['finished', addDelivery],
] as const)(
  'a %s delivery is read by its namespace and id, with its own attempts',
  async (_, add) => {
    const [id, other] = [await add({ endpoint_id: OWN }), await add({ endpoint_id: OWN })];
    for (const delivery_id of [id, other]) {
      const attempt = { delivery_id, number: 1, trigger: 'schedule', started_at: PAST };
      await stored.add('delivery_attempts', attempt);
    }
    const read = (namespace: string, of: string) =>
      readDelivery(stored.pool, { namespace, id: of });
    expect((await read('default', id))!.attempts).toHaveLength(1);
    expect((await read('default', other))!.id).toBe(other);
    expect(await read('other', id)).toBeUndefined();
    expect(await read('default', newUuid())).toBeUndefined();
  },
);

test('deliveries are listed without tests, by status, and before a given one', async () => {
  const endpoint_id = await addEndpoint();
  const add = async (columns: Columns) => [
    await addQueued({ endpoint_id, ...columns }),
    await addDelivery({ endpoint_id, ...columns }),
  ];
  const [queued, finished] = await add({});
  const tests = [...(await add({ test: true })), ...(await add({ trigger: 'test' }))];
  await addDelivery({ endpoint_id, namespace: 'other' });
  const list = async (over: Partial<Parameters<typeof listDeliveries>[1]> = {}) => {
    const page = { namespace: 'default', before: undefined, limit: 9, withTests: true };
    return (await listDeliveries(stored.pool, { ...page, ...over })).map(({ id }) => id);
  };
  expect(await list()).toEqual([queued, finished, ...tests].toReversed());
  expect(await list({ withTests: false })).toEqual([finished, queued]);
  expect(await list({ before: finished! })).toEqual([queued]);
  expect(await list({ withTests: false, status: 'pending' })).toEqual([queued]);
  expect(await list({ withTests: false, status: 'delivered' })).toEqual([finished]);
});

test('deliveries of events are counted by their status', async () => {
  const [one, two] = [newUuid(), newUuid()];
  await addQueued({ endpoint_id: OWN, event_id: one });
  for (const status of ['delivered', 'failed', 'failed', 'canceled', 'canceled', 'canceled']) {
    await addDelivery({ endpoint_id: OWN, event_id: one, status });
  }
  await addQueued({ endpoint_id: OWN, event_id: two });
  await addDelivery({ endpoint_id: OWN, event_id: two });
  const counts = { pending: 1, delivered: 1, failed: 2, canceled: 3 };
  expect(await countDeliveries(stored.pool, [one])).toEqual(new Map([[one, counts]]));
});

describe('the explanation of an event', () => {
  test('has its deliveries to the endpoint, newest first', async () => {
    const event_id = newUuid();
    const finished = await addDelivery({ event_id, endpoint_id: OWN });
    const queued = await addQueued({ event_id, endpoint_id: OWN, ...LEASED, attempt: 1 });
    for (const add of [addQueued, addDelivery]) {
      await add({ event_id, endpoint_id: OTHER });
      await add({ endpoint_id: OWN });
    }
    expect(
      await explainableDeliveries(stored.pool, { eventId: event_id, endpointId: OWN }),
    ).toMatchObject([
      { id: queued, status: 'queued', isLeased: true, isOutOfTurn: false, attempts: 1 },
      { id: finished, status: 'delivered', isLeased: false, isOutOfTurn: false },
    ]);
  });

  const conversation_id = newUuid();
  const EARLIER = { endpoint_id: OWN, conversation_id, sequence: 1, started: false };
  test.each([
    ['waits for an earlier one', {}, {}, true],
    ['does not wait for one that has started', { started: true }, {}, false],
    ['does not wait for one of another endpoint', { endpoint_id: OTHER }, {}, false],
    ['does not wait for one of another conversation', { conversation_id: newUuid() }, {}, false],
    ['does not wait for a later one', { sequence: 3 }, {}, false],
    ['does not wait for one of the same place', { sequence: 2 }, {}, false],
    ['does not wait after it has started', {}, { started: true }, false],
  ] as const)('says that a delivery %s', async (_, earlier, own, isOutOfTurn) => {
    const event_id = newUuid();
    await addQueued({ ...EARLIER, ...earlier });
    await addQueued({ ...EARLIER, sequence: 2, event_id, ...own });
    const of = { eventId: event_id, endpointId: OWN };
    expect(await explainableDeliveries(stored.pool, of)).toMatchObject([{ isOutOfTurn }]);
  });

  test('says that a lease has ended', async () => {
    const event_id = newUuid();
    await addQueued({ event_id, endpoint_id: OWN, ...LEASED, run_at: PAST });
    const of = { eventId: event_id, endpointId: OWN };
    expect(await explainableDeliveries(stored.pool, of)).toMatchObject([{ isLeased: false }]);
  });
});

describe('the figures of a span', () => {
  const from = Math.floor(Date.now() / 1_000) - 60;
  const idAt = (sec: number): string =>
    lowestUuidAt((from + sec) * 1_000).slice(0, 14) + newUuid().slice(14);
  const span = (namespace: string, endpointId?: string) => {
    const times = { from, to: from + 30, bucketSec: 30 };
    return { namespace, endpointId, ...times };
  };

  test('leave out what is outside of it, tests and other endpoints', async () => {
    const [own, other] = [await addEndpoint(), await addEndpoint({ namespace: 'other' })];
    for (const add of [addQueued, addDelivery]) {
      const first = { id: idAt(0), endpoint_id: own };
      await add(first);
      await add({ ...first, id: idAt(-1) });
      await add({ ...first, id: idAt(31) });
      await add({ ...first, id: idAt(1), test: true });
      await add({ ...first, id: idAt(2), trigger: 'test' });
      await add({ ...first, id: idAt(3), endpoint_id: other });
    }
    for (const asked of [span('default'), span('default', own)]) {
      expect((await countUnfinishedIn(stored.pool, asked))[0]).toMatchObject({ unfinished: 1 });
      const [all] = await readDeliveryStats(stored.pool, asked);
      expect(all).toMatchObject({ acknowledged: 1, attempts: 1 });
    }
    const none = span('default', other);
    expect((await countUnfinishedIn(stored.pool, none))[0]).toMatchObject({ unfinished: 0 });
  });

  test('have a latency for what was delivered by its first attempt', async () => {
    const endpoint_id = await addEndpoint();
    const at = { endpoint_id, delivered_at: new Date((from + 1) * 1_000) };
    await addDelivery({ ...at, id: idAt(0) });
    await addDelivery({ ...at, id: idAt(0), status: 'failed' });
    await addDelivery({ ...at, id: idAt(0), attempt_count: 2 });
    await addDelivery({ ...at, id: idAt(0), trigger: 'replay' });
    await addDelivery({ ...at, id: idAt(0), delivered_by: newUuid() });
    const [all] = await readDeliveryStats(stored.pool, span('default'));
    expect(all).toMatchObject({ acknowledged: 4, failed: 1, latencyCount: 1, withinTarget: 0 });
  });
});

describe('a process that delivers', () => {
  const session = async (url: string) => {
    const client = createClient(url);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const isGone = async (number: number): Promise<boolean | undefined> =>
    (await listDeliveryProcesses(stored.pool)).find((one) => one.number === number)?.isGone;

  test('is there while it holds the lock of its number, in this database', async () => {
    await stored.add('delivery_processes', { number: 7 });
    const other = await session(stored.url);
    await other.query('select pg_advisory_lock(1, 7)');
    expect(await isGone(7)).toBe(true);
    const elsewhere = await session(databaseUrl('postgres'));
    await elsewhere.query('select pg_advisory_lock($1, 7)', [0x7061_6470]);
    expect(await isGone(7)).toBe(true);
    expect(await lockDeliveryProcess(other, 7)).toBe(true);
    expect(await isGone(7)).toBe(false);
    await stored.add('delivery_processes', { number: 8 });
    expect(await isGone(8)).toBe(true);
  });

  test('loses its leases and its row once it is gone, and no other does', async () => {
    const alive = await session(stored.url);
    await lockDeliveryProcess(alive, 3);
    for (const number of [1, 2]) await stored.add('delivery_processes', { number });
    const [first, second] = [newUuid(), newUuid()];
    const leased = { ...LEASED, leased_at: new Date(), leased_by: 1, endpoint_id: first };
    const ended = await addQueued(leased);
    const kept = [
      await addQueued({ ...leased, endpoint_id: second, leased_by: 2 }),
      await addQueued({ ...leased, endpoint_id: second, leased_by: 3 }),
      await addQueued({ ...leased, endpoint_id: second, lease_token: null }),
      await addQueued({ ...leased, endpoint_id: second, leased_at: minutesAgo(2) }),
    ];
    await addQueued({ ...leased, endpoint_id: second, run_at: PAST });
    expect(await endLeasesOf(stored.pool, [1, 3])).toEqual([first]);
    const row = async (id: string): Promise<Columns> => (await stored.rowOf('delivery_queue', id))!;
    expect((await row(ended))['run_at']).toBeLessThan(LATER.getTime());
    for (const id of kept) expect(await row(id)).toMatchObject({ run_at: LATER.getTime() });
    const numbers = (await listDeliveryProcesses(stored.pool)).map(({ number }) => number);
    expect(numbers).toEqual([2, 3]);
  });

  test('stops and is removed by its number', async () => {
    for (const number of [1, 2]) await stored.add('delivery_processes', { number });
    await markStopping(stored.pool, 1);
    const listed = await listDeliveryProcesses(stored.pool);
    expect(listed.map(({ isStopping }) => isStopping)).toEqual([true, false]);
    await removeDeliveryProcess(stored.pool, 1);
    expect(await listDeliveryProcesses(stored.pool)).toMatchObject([{ number: 2 }]);
  });
});
