import type { Db } from './pool.ts';

/**
 * True when this transaction alone holds the lock of that number, to its end; false when another
 * one does, in whatever process. A process that is killed holds nothing.
 */
export async function isOnlyOne(db: Db, lock: number): Promise<boolean> {
  const { rows } = await db.query<{ held: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as held',
    [FAMILY, lock],
  );
  return rows[0]!.held;
}

/** `reta` */
const FAMILY = 0x72657461;
