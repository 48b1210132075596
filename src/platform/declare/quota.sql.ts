import type { Db } from '../postgres/pool.ts';

/**
 * One at a time counts what a namespace has of something and adds to it, until the transaction ends:
 * of two at once the second sees what the first did.
 */
export async function lockCount(db: Db, what: string, namespace: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('count ' || $1 || ' ' || $2, 0))`, [
    what,
    namespace,
  ]);
}
