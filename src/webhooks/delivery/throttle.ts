/**
 * Limit on the rate at which this process begins yielding deliveries (retries, deliveries created by jobs, late ones).
 * Yielding deliveries get the capacity that fresh events leave unused. Each attempt costs CPU time in this process and
 * in the database. Without a limit, a backlog would use all CPU time, and a fresh event, although claimed first, would
 * wait behind hundreds of old ones. So the limit rises by a small step while the process is busy for less than
 * `BUSY_MAX` of the time, and drops by 30% otherwise.
 *
 * The limit is a rate and not a number of attempts in flight, because an attempt that hangs uses no CPU time and must
 * not block others.
 */
export type Throttle = {
  /** Returns how many more yielding deliveries may begin now. */
  free: () => number;
  begun: (count: number) => void;
};

const WINDOW_MS = 100;
const LOOK_MS = 50;
/**
 * Maximum share of the time for which the process may be busy. The rest is for fresh events and for other processes on
 * the machine.
 */
const BUSY_MAX = 0.7;
/**
 * Minimum number of yielding deliveries per window, so that a process that is busy with fresh events still attempts its
 * retries.
 */
const LIMIT_MIN = 16;
const LIMIT_INITIAL = 64;
const LIMIT_MAX = 1_000;
const STEP_UP = 16;
const STEP_DOWN = 0.7;

/**
 * Creates a throttle. `busyShare` returns the share of the time since its last call in which the process was busy, from
 * 0 to 1. `nowMs` must be monotonic. The throttle adjusts its limit when `free` is called. It has no timer, because a
 * process that claims nothing needs no throttle.
 */
export function createThrottle(deps: { busyShare: () => number; nowMs: () => number }): Throttle {
  let limit = LIMIT_INITIAL;
  let lookedMs = -Infinity;
  let begun: { atMs: number; count: number }[] = [];

  function look(nowMs: number): void {
    if (nowMs - lookedMs < LOOK_MS) return;
    lookedMs = nowMs;
    const isBusy = deps.busyShare() > BUSY_MAX;
    limit = isBusy
      ? Math.max(LIMIT_MIN, Math.floor(limit * STEP_DOWN))
      : Math.min(LIMIT_MAX, limit + STEP_UP);
  }

  return {
    free: () => {
      const nowMs = deps.nowMs();
      look(nowMs);
      begun = begun.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
      return Math.max(0, limit - begun.reduce((sum, { count }) => sum + count, 0));
    },
    begun: (count) => {
      if (count > 0) begun.push({ atMs: deps.nowMs(), count });
    },
  };
}
