import type { PoolClient } from 'pg';
import type { Pool } from './pool.ts';

/**
 * Runs `work` in one transaction: commits when it resolves, rolls back and rethrows when it
 * does not. A connection that broke is thrown away with its transaction.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // Between statements a lost connection is told by an event; unheard it would end the process.
  const onError = (): void => {
    broken = true;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
