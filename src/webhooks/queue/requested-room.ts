import { monotonicMs } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { countRequested } from './deliveries.sql.ts';

/**
 * Maximum number of a namespace's unfinished deliveries that were created by test events and by replays of single
 * events. Each such request adds up to one delivery for each endpoint, and each delivery may stay in the queue for 72
 * h. Without a limit, repeated replays of one event to a receiver that does not respond could fill the disk. Replay
 * jobs have a limit of their own (run-replay-jobs.ts), and `reconcile` creates no second delivery while one is
 * unfinished. Deliveries of real events have no limit (docs/decisions/0086).
 */
export const REQUESTED_MAX = 10_000;
/**
 * Time in ms for which a count is cached. Requests add deliveries in the meantime, so the limit is approximate. Without
 * the cache, each test event would need a second statement.
 */
const KEPT_MS = 1_000;
/** Maximum number of namespaces whose counts are cached. */
const NAMESPACES_MAX = 1_000;
const RETRY_AFTER_SEC = 10;

/** @throws ApiError too_many_in_flight */
export type RequireRoom = (namespace: string) => Promise<void>;

/** Creates a function that throws if a namespace has too many test events and replays of single events in progress. */
export function createRequireRoom(deps: {
  pool: Db;
  metrics: Pick<Metrics, 'inFlightRefused'>;
}): RequireRoom {
  const counts = new Map<string, { untilMs: number; count: Promise<number> }>();

  function countOf(namespace: string): Promise<number> {
    const nowMs = monotonicMs();
    const kept = counts.get(namespace);
    if (kept !== undefined && nowMs < kept.untilMs) return kept.count;
    if (counts.size >= NAMESPACES_MAX) counts.clear();
    const count = countRequested(deps.pool, { namespace, max: REQUESTED_MAX });
    counts.set(namespace, { untilMs: nowMs + KEPT_MS, count });
    count.catch(() => counts.delete(namespace));
    return count;
  }

  return async (namespace) => {
    if ((await countOf(namespace)) < REQUESTED_MAX) return;
    deps.metrics.inFlightRefused.inc({ kind: 'requested_deliveries', share: 'namespace' });
    const detail =
      `This namespace already has the maximum of ${REQUESTED_MAX} unfinished deliveries of test events and of ` +
      'replays of single events. They end when they are acknowledged, after 72 hours, or when their endpoint is ' +
      'deleted. To send many events again, use POST /v1/webhooks/{id}/replay.';
    throw new ApiError('too_many_in_flight', detail, { retryAfterSec: RETRY_AFTER_SEC });
  };
}
