import { delay } from '../../clock.ts';
import { codeOf } from '../../errors.ts';

/** Value for `lock_timeout`: half of the longest time that a schema change may block others. */
export const LOCK_TIMEOUT_MS = 500;
const PAUSE_MS = 500;
/** Two minutes in total: a query may run for 15 s, a dump for long. */
const TRIES = 120;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Retries work that locks a table exclusively, under a `lock_timeout` of LOCK_TIMEOUT_MS. Such work waits for the last
 * reader of the table, and everybody else waits behind it, so one long query would stop the whole service. Instead it
 * waits briefly, lets the others pass, and tries again.
 * @param work one transaction, rolled back if it rejects
 * @throws what `work` throws; after TRIES, that the lock is not available
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
