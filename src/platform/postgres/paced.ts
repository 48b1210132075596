import { delay, monotonicMs } from '../../clock.ts';

/**
 * Minimum pause in ms. The pause limits statements of 256 KiB to 10 MiB/s. The limit is needed because a commit in any
 * session waits until everything written before it is on disk.
 */
const PAUSE_MS_MIN = 25;
/** Maximum pause in ms, far below the time for which a transaction may be idle. */
const PAUSE_MS_MAX = 500;

/**
 * Yields the items of a long write, one per statement. Pauses after each statement for as long as the statement took.
 * The statements therefore keep the server busy for at most half of the time.
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
