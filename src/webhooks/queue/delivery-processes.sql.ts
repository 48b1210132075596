import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Which delivery processes are alive. Each holds a session-level advisory lock on its number: the
 * server gives it up the moment the session's connection is gone, which a killed process cannot
 * help and a silent host does not do. For the latter there is the lease.
 */

/** The first of the two keys of the locks; the second is the process's number. */
const LOCK_CLASS = 0x7061_6470;

/** A number for a process that begins. */
export async function addDeliveryProcess(db: Db): Promise<number> {
  const { rows } = await db.query<{ number: number }>(
    'insert into delivery_processes default values returning number',
  );
  return rows[0]!.number;
}

/**
 * Says through `session` that the process is alive, for as long as that session lasts. False when
 * an older session of the same process still holds the lock: the server has not noticed its end.
 */
export async function lockDeliveryProcess(session: Db, number: number): Promise<boolean> {
  const { rows } = await session.query<{ held: boolean }>(
    'select pg_try_advisory_lock($1, $2) as held',
    [LOCK_CLASS, number],
  );
  // Those who thought it dead may have removed it. The moment tells that it was back in between
  // to who sees it gone twice.
  await session.query(
    `insert into delivery_processes (number) values ($1)
       on conflict (number) do update set started_at = now()`,
    [number],
  );
  return rows[0]?.held ?? false;
}

const IS_GONE = `not exists (
    select 1 from pg_locks l
     where l.locktype = 'advisory' and l.classid = $1 and l.objid::bigint = p.number
       and l.database = (select oid from pg_database where datname = current_database()))`;

export type DeliveryProcess = {
  number: number;
  /** When it last said that it is alive, in ms of the database's clock. */
  startedAt: number;
  /** No session of its is left. */
  isGone: boolean;
  /** Claims no more. */
  isStopping: boolean;
};

/** In the order of their numbers. */
export async function listDeliveryProcesses(db: Db): Promise<DeliveryProcess[]> {
  const { rows } = await db.query<DeliveryProcess>({
    name: 'list_delivery_processes',
    text: `select p.number, p.started_at as "startedAt", ${IS_GONE} as "isGone", p.stopping as "isStopping"
             from delivery_processes p order by p.number`,
    values: [LOCK_CLASS],
  });
  return rows;
}

/**
 * Ends the leases of those of the processes that are still gone, and forgets them; returns the
 * endpoints that have something due because of it. The tokens stay: the next claim sees that an
 * attempt was lost and records it, and a result that comes all the same before it still counts.
 */
export async function endLeasesOf(db: Db, numbers: readonly number[]): Promise<string[]> {
  const { rows } = await db.query<{ endpointId: string }>(
    `with gone as (
       delete from delivery_processes p where p.number = any($2) and ${IS_GONE} returning p.number
     ), ended as (
       update delivery_queue set run_at = now()
        where leased_by in (select number from gone) and lease_token is not null
          and run_at > now() and leased_at > now() - interval '1 minute'
       returning endpoint_id
     )
     select distinct endpoint_id as "endpointId" from ended`,
    [LOCK_CLASS, numbers],
  );
  return rows.map(({ endpointId }) => endpointId);
}

/** The process begins to end in order: it claims no more. */
export async function markStopping(db: Db, number: number): Promise<void> {
  await db.query('update delivery_processes set stopping = true where number = $1', [number]);
}

/** It has nothing in flight any more. */
export async function removeDeliveryProcess(db: Db, number: number): Promise<void> {
  await db.query('delete from delivery_processes where number = $1', [number]);
}
