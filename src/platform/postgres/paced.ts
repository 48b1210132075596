import { delay, monotonicMs } from '../../clock.ts';

/**
 * Minimum pause in ms. A commit in any session waits until everything that was written before it is on disk. With this
 * pause, statements of 256 KiB write at most 10 MiB/s.
 */
const PAUSE_MS_MIN = 25;
/** Maximum pause in ms, far below the time for which a transaction may be idle. */
const PAUSE_MS_MAX = 500;

/**
 * Yields the items of a long write, one per statement. It pauses after each statement for as long as the statement
 * took. On two cores, one core is therefore free for other work at least half of the time.
 */
export async function* paced<T>(items: Iterable<T>): AsyncGenerator<T> {
  let pauseMs = 0;
  for (const item of items) {
    if (pauseMs > 0) await delay(pauseMs);
    const startedMs = monotonicMs();
    yield item;
    pauseMs = Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, monotonicMs() - startedMs));
  }
}
