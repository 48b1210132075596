import { delay } from '../../clock.ts';
import { codeOf } from '../../errors.ts';

/** For `lock_timeout`: half of the longest that a change of tables may hold up anybody. */
export const LOCK_TIMEOUT_MS = 500;
const PAUSE_MS = 500;
/** Two minutes: a query may run for 15 s, a dump for long. */
const TRIES = 120;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * For work that locks a table exclusively, under a `lock_timeout` of LOCK_TIMEOUT_MS. It waits for
 * the last reader of the table, and everybody else waits behind it: one long query would stop the
 * whole service. So it waits briefly, lets them pass, and tries again.
 *
 * @param work is one transaction, rolled back when it rejects
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
