import { delay, monotonicMs } from '../../clock.ts';

/** Far below what a transaction may be idle. */
const PAUSE_MS_MAX = 500;

/**
 * The items of a long write, one for each statement. After each as long a pause as its statement
 * took: of two cores one is left to others for half of the time.
 */
export async function* paced<T>(items: Iterable<T>): AsyncGenerator<T> {
  let pauseMs = 0;
  for (const item of items) {
    if (pauseMs > 0) await delay(pauseMs);
    const startedMs = monotonicMs();
    yield item;
    pauseMs = Math.min(PAUSE_MS_MAX, monotonicMs() - startedMs);
  }
}
