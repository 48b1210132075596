import type { PoolClient } from 'pg';
import { codeOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { Pool } from './pool.ts';
import { forgetSaid } from './silence.ts';

/**
 * serialization_failure and deadlock_detected (PostgreSQL, appendix A): the transaction was rolled back, so a retry is
 * safe.
 */
const MAY_REPEAT = new Set(['40001', '40P01']);
const TRIES = 3;

/**
 * Runs `work` in one transaction. Commits if `work` resolves; rolls back and rethrows if it rejects. If two
 * transactions conflict, PostgreSQL aborts one of them, and its `work` is called again, so `work` must start from the
 * beginning on each call. A broken connection is discarded together with its transaction.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runOnce(pool, work);
    } catch (error) {
      if (!MAY_REPEAT.has(codeOf(error)) || tries === TRIES) throw error;
    }
  }
}

async function runOnce<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // A connection lost between two statements emits `error`, which would end the process if it had no listener.
  const onError = (): void => {
    broken = true;
  };
  client.on('error', onError);
  forgetSaid(client);
  try {
    await client.query('begin');
    await failpoint('transaction.begun');
    const result = await work(client);
    await failpoint('transaction.committing');
    await client.query('commit');
    await failpoint('transaction.committed');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.off('error', onError);
    forgetSaid(client);
    client.release(broken);
  }
}
