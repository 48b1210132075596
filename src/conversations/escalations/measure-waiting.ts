import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { measureWaiting } from './escalations.sql.ts';

const MEASURE_MS = 10_000;

/**
 * Creates the job that measures how many users wait for a human agent, and how long. Every API process measures all
 * namespaces, so the metrics are complete as long as any API process is running.
 */
export function createWaitingMeasure({
  pool,
  metrics,
  log,
}: {
  pool: Pool;
  metrics: Pick<Metrics, 'showWaiting'>;
  log: Logger;
}): Periodic {
  return createPeriodic({
    what: 'measuring the wait for a human agent',
    everyMs: MEASURE_MS,
    log,
    run: async () => {
      metrics.showWaiting(await measureWaiting(pool));
      return false;
    },
  });
}
