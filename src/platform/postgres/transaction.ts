import type { PoolClient } from 'pg';
import { codeOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { Pool } from './pool.ts';
import { forgetSaid } from './silence.ts';

/**
 * Codes of serialization_failure and deadlock_detected (PostgreSQL, appendix A). The transaction was rolled back, so a
 * retry is safe.
 */
const MAY_REPEAT = new Set(['40001', '40P01']);
const TRIES = 3;

/**
 * Runs `work` in one transaction. Commits if `work` resolves, and rolls back and rethrows if it rejects. If two
 * transactions conflict, PostgreSQL aborts one of them, and its `work` is called again, so `work` must start from
 * scratch on each call. A broken connection is discarded together with its transaction.
 *
 * `begin` is sent together with the first statement of `work`, and `commit` together with the statement of `last`, so
 * neither costs an additional round trip. `last` must therefore send its statement before it awaits anything.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  last?: (client: PoolClient) => Promise<void>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runOnce(pool, work, last);
    } catch (error) {
      if (!MAY_REPEAT.has(codeOf(error)) || tries === TRIES) throw error;
    }
  }
}

async function runOnce<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  last?: (client: PoolClient) => Promise<void>,
): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // If the connection is lost between two statements, the client emits `error`, which would end the process without a
  // listener.
  const onError = (): void => {
    broken = true;
  };
  client.on('error', onError);
  forgetSaid(client);
  try {
    const begun = client.query('begin');
    // `begun` is awaited below. Without this handler, a rejection before then would count as unhandled.
    begun.catch(() => undefined);
    await failpoint('transaction.begun');
    const result = await work(client);
    await begun;
    await failpoint('transaction.committing');
    // If the last statement fails, PostgreSQL rolls back instead of committing.
    await Promise.all([last?.(client), client.query('commit')]);
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
