import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../errors.ts';

/** For `lock_timeout`: half of what a change of tables may hold up anybody. */
export const LOCK_TIMEOUT_MS = 500;
const PAUSE_MS = 500;
/** Two minutes: a query may run for 15 s, a dump for long. */
const TRIES = 120;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * For work that takes a table for itself, under a `lock_timeout` of LOCK_TIMEOUT_MS. Whoever wants that
 * waits for the last who reads the table, and all others wait behind it: one long query would stop the
 * whole service. So it waits shortly, lets them pass, and tries again.
 *
 * @param work is one transaction, rolled back when it rejects
 * @throws what it fails of, after TRIES that it cannot be
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
