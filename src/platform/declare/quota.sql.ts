import type { Db } from '../postgres/pool.ts';

/**
 * Locks one of a namespace's counts, such as the number of `agents`, until the transaction ends. Transactions that
 * count objects and then add one therefore run one after the other, and each sees what the previous one added.
 */
export async function lockCount(db: Db, what: string, namespace: string): Promise<void> {
  await db.query({
    name: 'lock_count',
    text: `select pg_advisory_xact_lock(hashtextextended('count ' || $1 || ' ' || $2, 0))`,
    values: [what, namespace],
  });
}
