import { CHANNELS } from '../../platform/postgres/notifications.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Registry of the live delivery processes. Each process holds a session-level advisory lock on its number. The server
 * releases the lock as soon as the session's connection closes, even if the process is killed. If a host becomes
 * unreachable, its connections stay open, and the deliveries of its processes return to the queue when their leases
 * expire.
 */

/** First of the two keys of the advisory locks. The second key is the process's number. */
const LOCK_CLASS = 0x7061_6470;

/** Registers a process and wakes the others, which then check for dead processes more often. Returns its number. */
export async function addDeliveryProcess(db: Db): Promise<number> {
  const { rows } = await db.query<{ number: number }>(
    `with added as (insert into delivery_processes default values returning number)
     select number from added, pg_notify($1, '*')`,
    [CHANNELS.deliveries],
  );
  return rows[0]!.number;
}

/**
 * Marks the process as alive while `session` lasts. Returns false if an older session of the same process still holds
 * the lock, because the server has not noticed that the session ended.
 */
export async function lockDeliveryProcess(session: Db, number: number): Promise<boolean> {
  const { rows } = await session.query<{ held: boolean }>(
    'select pg_try_advisory_lock($1, $2) as held',
    [LOCK_CLASS, number],
  );
  // Another process may have considered this process dead and removed it. The new `started_at` tells other processes
  // that it has returned.
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
  /** Time of the process's last registration, in Unix ms of the database's clock. */
  startedAt: number;
  /** Whether no session holds the process's lock. */
  isGone: boolean;
  /** Whether the process is shutting down and claims no more deliveries. */
  isStopping: boolean;
};

/** Lists all processes by number. */
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
 * Ends the leases of those given processes that still have no session, and removes these processes. Returns the
 * endpoints that have deliveries due as a result. The lease tokens stay in the queue, so that the next claim can record
 * the attempts as lost. A result that arrives before that claim is still accepted.
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

/**
 * Records that a process is shutting down and claims no more deliveries. Wakes the other processes, which take over its
 * endpoints.
 */
export async function markStopping(db: Db, number: number): Promise<void> {
  await db.query(
    `with stopping as (
       update delivery_processes set stopping = true where number = $1 returning number)
     select from stopping, pg_notify($2, '*')`,
    [number, CHANNELS.deliveries],
  );
}

/** Removes a process from the registry. Called once the process has nothing in flight. */
export async function removeDeliveryProcess(db: Db, number: number): Promise<void> {
  await db.query('delete from delivery_processes where number = $1', [number]);
}
