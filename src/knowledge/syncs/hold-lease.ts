import { clearInterval, clearTimeout, monotonicMs, setInterval, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { isHeld, renewLease, type Lease, type Progress } from './claims.sql.ts';

/** Error for a sync that another process has taken over, or that was canceled. The former holder must stop writing. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export type HeldLease = {
  /** Aborts with LeaseLost when the lease is lost, or with the reason of `stopping`. */
  signal: AbortSignal;
  stop: () => Promise<void>;
};

export type LeaseTimes = {
  /** Duration of a lease in ms. If it is not renewed in this time, another process may take the sync over. */
  leaseMs: number;
  /** Interval in ms at which the lease is renewed and the progress is stored. */
  renewMs: number;
  /**
   * Interval in ms at which the holder checks its lease. A canceled sync therefore continues for at most this long. If
   * the lease cannot be renewed, its holder stops this long before the lease expires, so that two processes never run
   * the sync at the same time.
   */
  checkMs: number;
  /** Interval in ms at which a process checks the queue for syncs. Defaults to five seconds. */
  lookMs?: number;
};

export const LEASE_TIMES: LeaseTimes = { leaseMs: 15_000, renewMs: 5_000, checkMs: 1_000 };

/** Renews the lease of a sync periodically until `stop` is called. */
export function holdLease(
  deps: { pool: Pool; log: Logger },
  held: Lease & { progress: Progress; stopping: AbortSignal; times: LeaseTimes },
): HeldLease {
  const { id, lease, progress, stopping, times } = held;
  const lost = new AbortController();
  let renewedMs = monotonicMs();
  let asking: Promise<void> | undefined;
  let expiry = expireIn(times.leaseMs - times.checkMs);

  // A timer in this process measures the expiry, because the database may be unavailable when the lease expires.
  // Another process may take the lease as soon as the database is back.
  function expireIn(ms: number): NodeJS.Timeout {
    return setTimeout(
      () => lost.abort(new LeaseLost('the lease could not be renewed in time')),
      ms,
    );
  }

  async function ask(): Promise<void> {
    const nowMs = monotonicMs();
    const isDue = nowMs - renewedMs >= times.renewMs;
    const { leaseMs, checkMs } = times;
    const holds = isDue
      ? await renewLease(deps.pool, { id, lease, leaseMs, progress })
      : await isHeld(deps.pool, { id, lease });
    if (!holds) lost.abort(new LeaseLost('the sync was canceled, or another process took it over'));
    else if (isDue) {
      renewedMs = nowMs;
      clearTimeout(expiry);
      expiry = expireIn(nowMs + leaseMs - checkMs - monotonicMs());
    }
  }

  const timer = setInterval(() => {
    asking ??= ask()
      .catch((error: unknown) => {
        deps.log.debug({ reason: reasonOf(error) }, 'checking the lease of a sync failed');
      })
      .finally(() => {
        asking = undefined;
      });
  }, times.checkMs);

  return {
    signal: AbortSignal.any([lost.signal, stopping]),
    stop: async () => {
      clearInterval(timer);
      await asking;
      clearTimeout(expiry);
    },
  };
}
