import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, type EventType } from '../../../src/events/event-types.ts';
import { lowestUuidAt, newUuid, uuidTimeMs } from '../../../src/ids.ts';
import type { Db } from '../../../src/platform/postgres/pool.ts';
import { DELIVERY_STATUSES } from '../../../src/webhooks/queue/deliveries.sql.ts';
import { readDeliveryStats } from '../../../src/webhooks/queue/delivery-stats.sql.ts';
import {
  endOf,
  listDeliveries,
  type DeliveryFilter,
} from '../../../src/webhooks/queue/list-deliveries.sql.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Lists of deliveries return what their filters ask for, and read no more than a bounded number of pages for it. */

const stored = useRows(...QUEUE_TABLES);
const { addQueued, addDelivery, addEndpoint } = queueRows(stored);

const HOUR_MS = 3_600_000;
const PAGE = { namespace: 'default', limit: 21, withTests: false };
const idAt = (ms: number): string => lowestUuidAt(ms).slice(0, 14) + newUuid().slice(14);

test('no two event types end alike, so each kind of delivery has a range of its own', () => {
  expect(new Set(EVENT_TYPES.map(endOf)).size).toBe(EVENT_TYPES.length);
});

type Stored = {
  id: string;
  namespace: string;
  endpoint_id: string;
  event_id: string;
  event_type: EventType;
  trigger: string;
  test: boolean;
  status: (typeof DELIVERY_STATUSES)[number];
};

/** Adds deliveries that differ in everything that a filter names, over two days, and returns them newest first. */
async function addAllKinds(): Promise<Stored[]> {
  const [own, second, foreign] = [
    await addEndpoint(),
    await addEndpoint(),
    await addEndpoint({ namespace: 'other' }),
  ];
  const events = [newUuid(), newUuid()];
  const nowMs = Date.now();
  const types = ['conversation.started', 'conversation.ended', 'agent.published'] as const;
  const kinds = DELIVERY_STATUSES.flatMap((status) =>
    types.flatMap((event_type) =>
      ['schedule', 'replay', 'test'].map((trigger) => ({ status, event_type, trigger })),
    ),
  );
  const all = kinds
    .flatMap((kind) => [own, second, foreign].map((endpoint_id) => ({ ...kind, endpoint_id })))
    .map((one, i): Stored => ({
      ...one,
      id: idAt(nowMs - ((i * 37) % 48) * HOUR_MS - i),
      namespace: one.endpoint_id === foreign ? 'other' : 'default',
      event_id: events[i % 2]!,
      test: one.trigger === 'replay' && i % 5 === 0,
    }));
  for (const { status, ...columns } of all) {
    if (status === 'pending') await addQueued(columns);
    else if (status === 'retrying') await addQueued({ ...columns, attempt: 1, started: true });
    else await addDelivery({ ...columns, status });
  }
  return all.toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** Returns the ids that a list has to return. */
function expected(all: readonly Stored[], filter: Partial<DeliveryFilter>): string[] {
  const { endpointId, eventId, types, status, withTests, createdAfter, createdBefore, before } =
    filter;
  return all
    .filter(
      (one) =>
        one.namespace === (filter.namespace ?? 'default') &&
        (endpointId === undefined || one.endpoint_id === endpointId) &&
        (eventId === undefined || one.event_id === eventId) &&
        (types === undefined || types.includes(one.event_type)) &&
        (status === undefined || one.status === status) &&
        (withTests === true || !(one.test || one.trigger === 'test')) &&
        (createdAfter === undefined || uuidTimeMs(one.id) >= createdAfter * 1_000) &&
        (createdBefore === undefined || uuidTimeMs(one.id) < createdBefore * 1_000) &&
        (typeof before !== 'string' || one.id < before),
    )
    .map(({ id }) => id);
}

test('each combination of filters returns exactly its deliveries, newest first', async () => {
  const all = await addAllKinds();
  const [own, foreign] = ['default', 'other'].map(
    (namespace) => all.find((one) => one.namespace === namespace)!.endpoint_id,
  );
  const sec = Math.floor(Date.now() / 1_000);
  const places: Partial<DeliveryFilter>[] = [
    {},
    { namespace: 'other' },
    { endpointId: own },
    { endpointId: foreign },
    { eventId: all[0]!.event_id },
    { eventId: all[0]!.event_id, endpointId: own },
  ];
  const spans: Partial<DeliveryFilter>[] = [
    {},
    { createdAfter: sec - 40 * 3_600, createdBefore: sec - 20 * 3_600 },
    { before: all[40]!.id },
    { before: all[40]!.id, createdBefore: sec - 30 * 3_600 },
    { createdAfter: sec - 3 * 3_600 },
  ];
  const kinds: Partial<DeliveryFilter>[] = [
    {},
    { types: ['conversation.ended'] },
    { types: ['conversation.started', 'agent.published'] },
    { types: ['agent.rolled_back'] },
  ];
  let count = 0;
  for (const place of places)
    for (const kind of kinds)
      for (const status of [undefined, ...DELIVERY_STATUSES]) {
        // The spans and the tests in turn, so that each meets each of the others in one of the combinations.
        const span = spans[count % spans.length]!;
        const withTests = count % 3 === 0;
        count += 1;
        const filter = { ...place, ...kind, ...span, status, withTests };
        const list = await listDeliveries(stored.pool, { ...PAGE, limit: 200, ...filter });
        expect({ filter, ids: list.map(({ id }) => id) }).toEqual({
          filter,
          ids: expected(all, filter),
        });
      }
});

test('pages of any size meet without a gap, over the end of the newest day too', async () => {
  const all = await addAllKinds();
  for (const limit of [1, 7, 50]) {
    const ids: string[] = [];
    for (let before: string | undefined; ; before = ids.at(-1)) {
      const page = await listDeliveries(stored.pool, { ...PAGE, limit, withTests: true, before });
      ids.push(...page.map(({ id }) => id));
      if (page.length < limit) break;
    }
    expect(ids).toEqual(expected(all, { withTests: true }));
  }
});

test('attempts are those of each delivery, on all days', async () => {
  const all = await addAllKinds();
  for (const { id } of all.slice(0, 120)) {
    const attempt = { delivery_id: id, number: 1, trigger: 'schedule', started_at: new Date() };
    await stored.add('delivery_attempts', attempt);
  }
  const list = await listDeliveries(stored.pool, { ...PAGE, limit: 200, withTests: true });
  const counts = new Map(list.map(({ id, attempts }) => [id, attempts.length]));
  for (const [at, { id, namespace }] of all.entries())
    if (namespace === 'default') expect(counts.get(id)).toBe(at < 120 ? 1 : 0);
});

/** Counts what statements read, beside running them. */
function counting() {
  const read = { pages: 0, queued: 0 };
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    const { rows } = await stored.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, timing off, format json) ${text}`,
      values,
    );
    const plan = rows[0]!['QUERY PLAN'][0].Plan;
    read.pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    read.queued += queuedRowsOf(plan);
    return stored.pool.query(text, values);
  };
  return { read, db: { query } as unknown as Db };
}

/** Node of a plan; the pages are with those of the nodes below it. */
type Plan = {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

/** Returns the number of rows of the queue that a plan read. */
function queuedRowsOf(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, one) => sum + queuedRowsOf(one), 0);
  if (plan['Relation Name'] !== 'delivery_queue') return below;
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  return below + rows * plan['Actual Loops'];
}

const DELIVERIES = IS_NIGHTLY ? 300_000 : 30_000;
const RARE: EventType = 'knowledge.gap.detected';
/**
 * Maximum number of pages of 8 KB that a list reads. A list with tests has 54 kinds in each of ten partitions, with two
 * pages at least for each, and up to 21 rows for each kind.
 */
const PAGES_MAX = 2_500;
const ENDPOINT_PAGES_MAX = 300;

/**
 * Adds finished deliveries of the last two days to 100 endpoints of three namespaces. Nine of ten are tests. The
 * namespace `tests` has nothing else, and `RARE` has 12 deliveries, the oldest.
 */
async function addMany(): Promise<string[]> {
  const { rows } = await stored.pool.query<{ id: string }>(
    `insert into webhook_endpoints (id, uid, namespace, name, generation, managed_by, headers, url, event_types,
                                    description, metadata, enabled)
     select id, id, case when i < 60 then 'default' when i < 90 then 'tests' else 'other' end, 'e' || i, 1,
            'api', '{}', 'https://example.com/', '{}', '', '{}', true
       from (select gen_random_uuid() as id, i from generate_series(0, 99) i) e
     returning id`,
  );
  const ids = rows.map(({ id }) => id);
  await stored.pool.query(
    `insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, test, status, attempt_count)
     select (lpad(to_hex($2::bigint + i * $3::bigint / $4::bigint), 12, '0') || '70008' || lpad(to_hex(i), 15, '0'))::uuid,
            case when e < 60 then 'default' when e < 90 then 'tests' else 'other' end, ($1::uuid[])[e + 1],
            gen_random_uuid(),
            case when is_test then 'agent.published' when i < 912 then $5
                 when i % 3 = 0 then 'conversation.started' else 'conversation.ended' end,
            case when is_test then 'test' else 'schedule' end, is_test,
            case when i % 97 = 0 then 'failed' when i % 397 = 0 then 'canceled' else 'delivered' end, 1
       from (select i, e, i / 100 % 10 < 9 or e between 60 and 89 as is_test
               from (select i::bigint, (i::bigint * 7919 % 100)::int as e
                       from generate_series(0, $4::int - 1) i) numbered) d`,
    [ids, Date.now() - 47 * HOUR_MS, 47 * HOUR_MS, DELIVERIES, RARE],
  );
  return ids;
}

describe('however many deliveries are stored', () => {
  test('each filter reads a bounded number of pages, with and without statistics', async () => {
    const ids = await addMany();
    const [own, ofTests] = [ids[9]!, ids[70]!];
    const sec = Math.floor(Date.now() / 1_000);
    const { rows } = await stored.pool.query<{ event_id: string }>(
      'select event_id from deliveries where endpoint_id = $1 and not test limit 1',
      [own],
    );
    const lists: [name: string, filter: Partial<DeliveryFilter>][] = [
      ['nothing', {}],
      ['tests', { withTests: true }],
      ['a namespace of tests', { namespace: 'tests' }],
      ['a namespace without deliveries', { namespace: 'nobody' }],
      ...DELIVERY_STATUSES.map(
        (status) => [status, { status }] as [string, { status: typeof status }],
      ),
      ['a type', { types: ['conversation.ended'] }],
      ['a group of types', { types: ['conversation.started', 'conversation.ended'] }],
      ['a rare type', { types: [RARE] }],
      ['a rare type of failed ones', { types: [RARE], status: 'failed' }],
      ['a type that no delivery has', { types: ['agent.rolled_back'], withTests: true }],
      ['a type that only tests have', { types: ['agent.published'] }],
      [
        'a type deep in the past',
        { types: ['conversation.ended'], createdBefore: sec - 40 * 3_600 },
      ],
      ['an hour', { createdAfter: sec - 30 * 3_600, createdBefore: sec - 29 * 3_600 }],
      ['a cursor', { before: lowestUuidAt((sec - 40 * 3_600) * 1_000) }],
      ['an event', { eventId: rows[0]!.event_id }],
      ['an endpoint', { endpointId: own }],
      ['an endpoint and its tests', { endpointId: own, withTests: true }],
      ['an endpoint of tests', { endpointId: ofTests, namespace: 'tests' }],
      ['an endpoint and a status', { endpointId: own, status: 'failed' }],
      ['an endpoint and a rare type', { endpointId: own, types: [RARE] }],
      ['an endpoint, type and status', { endpointId: own, types: [RARE], status: 'delivered' }],
    ];
    const tooMany: unknown[] = [];
    for (const prepare of ['select 1', 'analyze deliveries']) {
      await stored.pool.query(prepare);
      for (const [name, filter] of lists) {
        const { db, read } = counting();
        await listDeliveries(db, { ...PAGE, ...filter });
        const max = filter.endpointId === undefined ? PAGES_MAX : ENDPOINT_PAGES_MAX;
        if (read.pages > max) tooMany.push([prepare, name, read.pages]);
      }
    }
    expect(tooMany).toEqual([]);
  });

  test('figures leave tests out without reading them', async () => {
    const ids = await addMany();
    const to = Math.floor(Date.now() / 1_000) + 60;
    const { db, read } = counting();
    const span = { from: to - 2 * 86_400, to, bucketSec: 3_600 };
    const [all] = await readDeliveryStats(db, {
      namespace: 'tests',
      endpointId: ids[70]!,
      ...span,
    });
    expect(all).toMatchObject({ acknowledged: 0 });
    expect(read.pages).toBeLessThan(60);
  });
});

describe('while many deliveries are unfinished', () => {
  const BACKLOG = 1_500;
  const addBacklog = async (endpointId: string, namespace: string): Promise<void> => {
    await stored.pool.query(
      `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger, attempt)
       select parley_uuid_v7(), $2, $1, gen_random_uuid(), 'conversation.ended', 'schedule', 1
         from generate_series(1, $3::int)`,
      [endpointId, namespace, BACKLOG],
    );
  };

  test('older ones behind those of another namespace are found, without reading these', async () => {
    const [own, other] = [await addEndpoint(), await addEndpoint({ namespace: 'other' })];
    const queued = await addQueued({ endpoint_id: own });
    await addBacklog(other, 'other');
    for (const filter of [{}, { status: 'pending' as const }, { endpointId: own }]) {
      const list = await listDeliveries(stored.pool, { ...PAGE, ...filter });
      expect(list.map(({ id }) => id)).toEqual([queued]);
    }
    await stored.pool.query('analyze delivery_queue');
    const { db, read } = counting();
    await listDeliveries(db, { ...PAGE, status: 'pending' });
    expect(read.queued).toBe(1_000 + 1);
  });

  test('a page is filled by the newest, and none is listed twice', async () => {
    const own = await addEndpoint();
    await addBacklog(own, 'default');
    const [first, second] = [1_200, BACKLOG].map((limit) =>
      listDeliveries(stored.pool, { ...PAGE, limit }),
    );
    const ids = (await second!).map(({ id }) => id);
    expect(new Set(ids).size).toBe(BACKLOG);
    expect((await first!).map(({ id }) => id)).toEqual(ids.slice(0, 1_200));
    const { db, read } = counting();
    await listDeliveries(db, { ...PAGE, status: 'retrying' });
    expect(read.queued).toBe(1_000);
  });
});
