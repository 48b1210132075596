import type { Db } from './pool.ts';

/**
 * Tries to take an advisory lock. Returns true if this transaction has taken the lock, which is released when the
 * transaction ends. Returns false if another transaction has the lock. If a process is killed, its lock is released.
 */
export async function isOnlyOne(db: Db, lock: number): Promise<boolean> {
  const { rows } = await db.query<{ held: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as held',
    [FAMILY, lock],
  );
  return rows[0]!.held;
}

/** The ASCII text `reta`: first half of the key of these advisory locks. */
const FAMILY = 0x72657461;
