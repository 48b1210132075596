import { beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { runReplayJobs } from '../../../src/webhooks/replay/run-replay-jobs.ts';
import { useRows } from '../../platform/postgres/rows.ts';

/** The order of replays in one process. Nothing is delivered. */

const rows = useRows('events', 'webhook_endpoints', 'jobs', 'delivery_queue');
beforeEach(() => maintainPartitions(rows.pool, Date.now()));

/** Made by one batch. */
const BATCH = 500;

/** Adds an endpoint with events that need two batches, and jobs that replay them. */
async function addJobs(namespace: string, jobs: number): Promise<string> {
  const id = newUuid();
  await rows.add('webhook_endpoints', {
    id,
    uid: id,
    namespace,
    name: 'one',
    generation: 1,
    managed_by: 'api',
    url: 'https://example.com/',
    event_types: [],
    description: '',
    enabled: true,
    headers: {},
    metadata: {},
  });
  await rows.pool.query(
    `insert into events (id, namespace, type, body)
     select parley_uuid_v7(), $1, 'agent.published', '{}' from generate_series(1, $2)`,
    [namespace, BATCH + 1],
  );
  await rows.pool.query(
    `insert into jobs (id, namespace, type, status, actor, endpoint_id, mode, types, since, until, total)
     select parley_uuid_v7(), $1, 'replay', 'running', 'api:a', $2, 'all', '{}',
            now() - interval '1 min', now() + interval '1 min', 1
       from generate_series(1, $3)`,
    [namespace, id, jobs],
  );
  return id;
}

test('a namespace with many replays has as many turns as one with a single replay', async () => {
  const noisy = await addJobs('noisy', 3);
  const quiet = await addJobs('quiet', 1);
  const order: string[] = [];
  const stop = new AbortController();
  const notify = (_: unknown, [endpointId]: readonly string[]): void => {
    order.push(endpointId === noisy ? 'noisy' : endpointId === quiet ? 'quiet' : 'unknown');
    if (order.length === 4) stop.abort();
  };
  const metrics = createMetrics({ processMetrics: false });
  const { pool } = rows;
  await runReplayJobs({ pool, metrics, notifier: { notify }, nowMs: Date.now }, stop.signal);
  expect(order).toEqual(['noisy', 'quiet', 'noisy', 'quiet']);
  // Two jobs of the noisy one had a turn each; its third one comes next.
  const { rows: done } = await pool.query<{ done: number }>(
    `select done from jobs where namespace = 'noisy' order by id`,
  );
  expect(done).toEqual([{ done: BATCH }, { done: BATCH }, { done: 0 }]);
});

test('a job that fails keeps no other namespace waiting', async () => {
  const noisy = await addJobs('noisy', 1);
  const quiet = await addJobs('quiet', 1);
  // Its deliveries cannot be written.
  await rows.pool.query(
    `alter table delivery_queue add constraint broken check (endpoint_id <> '${noisy}') not valid`,
  );
  const told: string[] = [];
  const notify = (_: unknown, [endpointId]: readonly string[]): void => void told.push(endpointId!);
  const metrics = createMetrics({ processMetrics: false });
  const { pool } = rows;
  const running = runReplayJobs(
    { pool, metrics, notifier: { notify }, nowMs: Date.now },
    new AbortController().signal,
  );
  await expect(running).rejects.toThrow('broken');
  expect(told).toEqual([quiet]);
});
