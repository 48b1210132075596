import { clearInterval, clearTimeout, monotonicMs, setInterval, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { isHeld, renewLease, type Lease, type Progress } from './claims.sql.ts';

/** The sync is another's now, or canceled: whoever finds this out writes nothing more of it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export type HeldLease = {
  /** Aborts with LeaseLost once it holds no more, or with what the process was told. */
  signal: AbortSignal;
  stop: () => Promise<void>;
};

export type LeaseTimes = {
  /** Unrenewed, a sync is another's after this. */
  leaseMs: number;
  /** How often it is renewed, and the progress written. */
  renewMs: number;
  /**
   * How often it is asked whether it still holds: so long a canceled sync goes on at most. So long before
   * its end, too, one that could not be renewed is given up: nobody reads beside whoever takes it over.
   */
  checkMs: number;
  /** How often a process looks for queued syncs. Default: each second. */
  lookMs?: number;
};

export const LEASE_TIMES: LeaseTimes = { leaseMs: 15_000, renewMs: 5_000, checkMs: 1_000 };

/** Keeps the lease of a sync until it is stopped. */
export function holdLease(
  deps: { pool: Pool; log: Logger },
  held: Lease & { progress: Progress; stopping: AbortSignal; times: LeaseTimes },
): HeldLease {
  const { id, lease, progress, stopping, times } = held;
  const lost = new AbortController();
  let renewedMs = monotonicMs();
  let asking: Promise<void> | undefined;
  let expiry = expireIn(times.leaseMs - times.checkMs);

  // Without an answer of the database too: by then another process may have it.
  function expireIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => lost.abort(new LeaseLost('it could not be renewed in time')), ms);
  }

  async function ask(): Promise<void> {
    const nowMs = monotonicMs();
    const isDue = nowMs - renewedMs >= times.renewMs;
    const { leaseMs, checkMs } = times;
    const holds = isDue
      ? await renewLease(deps.pool, { id, lease, leaseMs, progress })
      : await isHeld(deps.pool, { id, lease });
    if (!holds) lost.abort(new LeaseLost('canceled or taken over'));
    else if (isDue) {
      renewedMs = nowMs;
      clearTimeout(expiry);
      expiry = expireIn(nowMs + leaseMs - checkMs - monotonicMs());
    }
  }

  const timer = setInterval(() => {
    asking ??= ask()
      .catch((error: unknown) => {
        deps.log.debug({ reason: reasonOf(error) }, 'the lease of a sync could not be looked at');
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
