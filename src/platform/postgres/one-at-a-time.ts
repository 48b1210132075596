import type { Db } from './pool.ts';

/**
 * Tries to take an advisory lock for this transaction. Returns false if another transaction has the lock. The lock is
 * released when the transaction ends, even if the process is killed.
 */
export async function isOnlyOne(db: Db, lock: number): Promise<boolean> {
  const { rows } = await db.query<{ held: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as held',
    [FAMILY, lock],
  );
  return rows[0]!.held;
}

/** First half of the key of these advisory locks: the ASCII codes of `reta`. */
const FAMILY = 0x72657461;
