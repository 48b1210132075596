import { failpoint } from '../../failpoints.ts';
import type { Retention } from '../../config.ts';
import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { DispatchQueue } from '../queue/dispatch-queue.ts';
import { maintainPartitions } from '../queue/partitions.sql.ts';

const MEASURE_MS = 10_000;
const EXPIRE_MS = 15_000;
const PARTITIONS_MS = 3_600_000;

/** Creates the periodic tasks of webhook delivery. Any number of processes may run them at the same time. */
export function createMaintenance({
  queue,
  pool,
  retention,
  metrics,
  log,
}: {
  queue: DispatchQueue;
  pool: Pool;
  retention: Pick<Retention, 'events'>;
  metrics: Metrics;
  log: Logger;
}): Periodic[] {
  const task = (what: string, everyMs: number, run: () => Promise<void>): Periodic =>
    createPeriodic({ what, everyMs, run: () => run().then(() => false), log });
  return [
    task('measuring the queue', MEASURE_MS, async () => {
      const backlog = await queue.measure();
      const endpoints = { healthy: 0, failing: 0, disabled: 0, not_ready: 0, ...backlog.endpoints };
      metrics.showBacklog({ ...backlog, endpoints });
    }),
    task('ending expired deliveries', EXPIRE_MS, async () => {
      await failpoint('delivery.expiring');
      metrics.deliveries.inc({ outcome: 'exhausted' }, await queue.expire());
    }),
    task('maintaining partitions', PARTITIONS_MS, async () => {
      const { dropped } = await maintainPartitions(pool, undefined, retention.events);
      if (dropped.length > 0) log.info({ tables: dropped }, 'removed events past their retention');
    }),
  ];
}
