import type { Db } from '../postgres/pool.ts';

/**
 * Locks the count `what` of a namespace until the transaction ends. This serializes concurrent transactions that count
 * and then add: each sees what the previous one added.
 */
export async function lockCount(db: Db, what: string, namespace: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('count ' || $1 || ' ' || $2, 0))`, [
    what,
    namespace,
  ]);
}
