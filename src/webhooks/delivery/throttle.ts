/**
 * How fast yielding deliveries (retries, what jobs made, what is late) may begin in this process.
 * They get what fresh events leave. Each attempt costs time of this process and of the database,
 * and a backlog would take all of it, so that a fresh event, although claimed first, waits behind
 * hundreds of old ones. So they are held to a share of the process's time: a few more at a time
 * while it has time left, 30 % fewer at once when it has not.
 *
 * A rate, not a number in flight: an attempt that hangs needs no time and must not hold up others.
 */
export type Throttle = {
  /** How many more may begin now. */
  free: () => number;
  begun: (count: number) => void;
};

const WINDOW_MS = 100;
const LOOK_MS = 50;
/** Share of its time; the rest is for fresh events and for the neighbours on the machine. */
const BUSY_MAX = 0.7;
/** In a window: a process that is busy with fresh events alone gets to its retries too. */
const LIMIT_MIN = 16;
const LIMIT_INITIAL = 64;
const LIMIT_MAX = 1_000;
const STEP_UP = 16;
const STEP_DOWN = 0.7;

/**
 * `busyShare`: of the time since it was last called, from 0 to 1; `nowMs` must be monotonic. It
 * measures when it is asked and not by a timer: who claims nothing needs no throttle.
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
