import type { Db } from '../postgres/pool.ts';

/**
 * Locks a count in a namespace until the transaction ends, so that concurrent transactions count and add one after the
 * other, and each sees the result of the previous one.
 */
export async function lockCount(db: Db, what: string, namespace: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('count ' || $1 || ' ' || $2, 0))`, [
    what,
    namespace,
  ]);
}
