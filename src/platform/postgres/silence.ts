import type { Db } from './pool.ts';

/**
 * This module marks long transactions as silent: a silent transaction never emits an event. A reader of the event
 * stream waits for every open transaction that may still add an event before the reader's position
 * (docs/decisions/0013), but not for silent transactions (docs/decisions/0051).
 */

/** First half of the advisory lock's key. The second half is computed from the transaction's id. */
const LOCK_CLASS = 7_310_561;
const SECOND_HALF = '4294967295';

type Said = 'silent' | 'spoke';
const said = new WeakMap<Db, Said>();

/**
 * Marks a transaction that was started by `inTransaction` as silent, with an advisory lock that every other session can
 * see until the transaction ends. Taking the lock never blocks, and costs one round trip.
 */
export async function fallSilent(db: Db): Promise<void> {
  if (said.get(db) === 'spoke')
    throw new Error('a transaction that has emitted an event cannot become silent');
  said.set(db, 'silent');
  await db.query({
    name: 'fall_silent',
    text: `select pg_advisory_xact_lock(
             ($1::bigint << 32) | (pg_current_xact_id()::text::bigint & ${SECOND_HALF}))`,
    values: [LOCK_CLASS],
  });
}

export const isSilent = (db: Db): boolean => said.get(db) === 'silent';

/** Records that the transaction has emitted an event. */
export function speak(db: Db): void {
  if (isSilent(db)) throw new Error('a silent transaction cannot emit an event: defer the event');
  said.set(db, 'spoke');
}

/** Resets the state of the connection when a transaction begins or has ended. */
export function forgetSaid(db: Db): void {
  said.delete(db);
}

/**
 * Returns SQL for the id of the oldest transaction that is running in a snapshot and is not silent. If there is no such
 * transaction, the SQL returns the id that the next transaction will get. The SQL reads all locks, which takes about
 * 0.2 ms.
 * @param snapshot SQL expression for the statement's own `pg_snapshot`
 */
export function oldestSpeaking(snapshot: string): string {
  return `coalesce(
    (select running.xid from pg_snapshot_xip(${snapshot}) as running (xid)
      where not exists (
        select 1 from pg_locks held
         where held.locktype = 'advisory' and held.classid = ${LOCK_CLASS} and held.objsubid = 1
           and held.objid::bigint = running.xid::text::bigint & ${SECOND_HALF}
           and held.granted
           and held.database = (select oid from pg_database where datname = current_database()))
      order by running.xid limit 1),
    pg_snapshot_xmax(${snapshot}))`;
}
