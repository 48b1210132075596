import type { Db } from '../postgres/pool.ts';

/**
 * Locks a count of a namespace, such as that of `agents`, until the transaction ends. Transactions that count and then
 * add something take turns in this way, and each sees what the previous one added.
 */
export async function lockCount(db: Db, what: string, namespace: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('count ' || $1 || ' ' || $2, 0))`, [
    what,
    namespace,
  ]);
}
