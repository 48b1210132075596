import { delay } from '../../clock.ts';
import { codeOf } from '../../errors.ts';

/** Value of `lock_timeout` in ms. A schema change may block other statements for at most twice this time. */
export const LOCK_TIMEOUT_MS = 500;
const PAUSE_MS = 500;
/**
 * Maximum number of attempts, which together take about two minutes. That is long enough for any query, which may hold
 * its lock for up to 15 s, but not for every database dump.
 */
const TRIES = 120;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Retries a transaction that locks a table exclusively and runs with a `lock_timeout` of `LOCK_TIMEOUT_MS`. Such a
 * transaction waits for all readers of the table, and all later statements wait for the transaction. Without a timeout,
 * one long query would therefore stop the whole service. With the timeout, the transaction waits only briefly, lets the
 * other statements run, and tries again.
 * @param work runs one transaction, and rolls it back if it rejects
 * @throws any error of `work`; after `TRIES` attempts, the error that the lock is not available
 */
export async function retryingLock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || tries === TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}
