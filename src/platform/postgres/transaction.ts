import type { PoolClient } from 'pg';
import { codeOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { Pool } from './pool.ts';
import { forgetSaid } from './silence.ts';

/** serialization_failure, deadlock_detected (PostgreSQL, appendix A): nothing happened, try again. */
const MAY_REPEAT = new Set(['40001', '40P01']);
const TRIES = 3;

/**
 * Runs `work` in one transaction: commits when it resolves, rolls back and rethrows when it
 * does not. Of two transactions in each other's way PostgreSQL ends one, which is then run again:
 * `work` must begin anew each time it is called. A connection that broke is thrown away with its
 * transaction.
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
  // Between statements a lost connection is an `error` event; unhandled it would end the process.
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
