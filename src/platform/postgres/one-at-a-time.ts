import type { Db } from './pool.ts';

/**
 * Returns true if this transaction holds the lock with that number until it ends, or false if another process or
 * transaction holds it. A killed process releases its lock.
 */
export async function isOnlyOne(db: Db, lock: number): Promise<boolean> {
  const { rows } = await db.query<{ held: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as held',
    [FAMILY, lock],
  );
  return rows[0]!.held;
}

/** The text `reta` in ASCII. */
const FAMILY = 0x72657461;
