import { beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { createMetrics, type Metrics } from '../../../src/platform/observability/metrics.ts';
import {
  createRequireRoom,
  REQUESTED_MAX,
  type RequireRoom,
} from '../../../src/webhooks/queue/requested-room.ts';
import { holdTime } from '../../clock.ts';
import { countStatements } from '../../platform/postgres/count-statements.ts';
import { useRows, type Columns } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** How many deliveries may wait that requests created, and which ones count. */

const stored = useRows(...QUEUE_TABLES);
const { addQueued } = queueRows(stored);

let metrics: Metrics;
let requireRoom: RequireRoom;

beforeEach(() => {
  metrics = createMetrics({ processMetrics: false });
  requireRoom = createRequireRoom({ pool: stored.pool, metrics });
});

async function addRequested(count: number): Promise<void> {
  await stored.pool.query(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
     select parley_uuid_v7(), 'default', $1, $1, 'agent.published',
            case when i % 2 = 0 then 'test' else 'replay' end
       from generate_series(1, $2::int) i`,
    [newUuid(), count],
  );
}

/** The result of a check that begins with a new count. */
const checked = (namespace = 'default'): Promise<unknown> =>
  createRequireRoom({ pool: stored.pool, metrics })(namespace).catch((error: unknown) => error);

test.each<[string, Columns]>([
  ['of a real event', {}],
  ['of a job', { trigger: 'replay', job_id: newUuid() }],
  ['of another namespace', { trigger: 'test', namespace: 'other' }],
])('a delivery %s does not count', async (_, columns) => {
  await addRequested(REQUESTED_MAX - 1);
  await addQueued({ endpoint_id: newUuid(), ...columns });
  expect(await checked()).toBeUndefined();
});

test.each(['test', 'replay'])(
  'with one more %s there is no room in this namespace',
  async (trigger) => {
    await addRequested(REQUESTED_MAX - 1);
    await addQueued({ endpoint_id: newUuid(), trigger });
    expect(await checked()).toMatchObject({ code: 'too_many_in_flight', retryAfterSec: 10 });
    expect(await checked('other')).toBeUndefined();
    expect(await metrics.render()).toContain(
      'parley_in_flight_refused_total{kind="requested_deliveries",share="namespace"} 1',
    );
  },
);

test('a second has one count, however many requests there are', async () => {
  const time = holdTime();
  const counts = countStatements(stored.pool, 'count_requested', 'default');
  await Promise.all(Array.from({ length: 20 }, () => requireRoom('default')));
  await addRequested(REQUESTED_MAX);
  await time.advance(999);
  await requireRoom('default');
  expect(counts()).toBe(1);
  await time.advance(1);
  await expect(requireRoom('default')).rejects.toMatchObject({ code: 'too_many_in_flight' });
  expect(counts()).toBe(2);
});

test('a count that fails is repeated by the next request', async () => {
  let fails = true;
  const pool = {
    query: (...args: Parameters<typeof stored.pool.query>) =>
      fails ? Promise.reject(new Error('away')) : stored.pool.query(...args),
  } as unknown as typeof stored.pool;
  const requireRoom = createRequireRoom({ pool, metrics });
  await expect(requireRoom('default')).rejects.toThrow('away');
  fails = false;
  await requireRoom('default');
});
