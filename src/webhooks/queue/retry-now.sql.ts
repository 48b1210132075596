import { DEADLINE_MS } from './dispatch-queue.ts';
import { lowestUuidAt, uuidTimeMs } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Makes waiting deliveries due immediately (contract/deliveries.md#retry). The rows themselves are attempted, no others
 * are made: only `run_at` moves, and with `manual` the claim knows why. The times of the schedule stay,
 * so a failure goes on with it as if nothing had been. What is attempted right now is left alone.
 */

/** Why a delivery can be retried or not; undefined: it is not in the queue. */
export type Retriable = { isLeased: boolean; isOver: boolean; isEnabled: boolean };

/** Locks the row until the transaction ends. */
export async function lockQueued(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<Retriable | undefined> {
  const { rows } = await db.query<Retriable>(
    `select q.lease_token is not null as "isLeased",
            q.scheduled_from <= now() - $3 * interval '1 ms' as "isOver",
            coalesce((select e.enabled from webhook_endpoints e where e.id = q.endpoint_id), false)
              as "isEnabled"
       from delivery_queue q where q.id = $1 and q.namespace = $2 for update`,
    [id, namespace, DEADLINE_MS],
  );
  return rows[0];
}

/** Before everything else of its endpoint, and past the breaker (src/webhooks/delivery/slots.ts). */
export async function makeDue(db: Db, id: string): Promise<void> {
  await db.query(
    `update delivery_queue set run_at = least(run_at, now()), manual = true, ahead = true
      where id = $1 and lease_token is null`,
    [id],
  );
}

/** What a job is about: deliveries to an endpoint that failed at least once and wait. */
export type RetryScope = {
  endpointId: string;
  types: readonly string[];
  /** Of events, uuids: inclusive, exclusive. */
  from: string;
  to: string;
};

const IS_WAITING = `endpoint_id = $1 and event_type = any($2) and event_id >= $3 and event_id < $4
  and attempt > 0 and lease_token is null and scheduled_from > now() - $5 * interval '1 ms'
  and not (manual and run_at <= now())`;

const valuesOf = ({ endpointId, types, from, to }: RetryScope): unknown[] => [
  endpointId,
  types,
  from,
  to,
  DEADLINE_MS,
];

export async function countWaiting(db: Db, scope: RetryScope): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from delivery_queue where ${IS_WAITING}`,
    valuesOf(scope),
  );
  return rows[0]!.count; // An aggregate has one row.
}

const DAY_MS = 86_400_000;

/**
 * The next batch of a job: looks at `rows` of the queue at most, in the order of their ids, and makes
 * `room` of them due at most. Rows that are locked are being attempted or recorded, and left alone.
 * `isFirst`: one of them goes past the breaker, so that a receiver that is back is found at once; if
 * it is not, its failure brings the pauses back. `cursor`: the last row it dealt with; null when none
 * was left.
 */
export async function makeBatchDue(
  db: Db,
  input: {
    scope: RetryScope;
    jobId: string;
    /** uuid of a delivery */
    after: string | null;
    isFirst: boolean;
    rows: number;
    room: number;
  },
): Promise<{ made: number; cursor: string | null }> {
  const { scope, jobId, isFirst, rows: looked, room } = input;
  // A delivery is younger than its event, give or take clocks.
  const after = input.after ?? lowestUuidAt(uuidTimeMs(scope.from) - DAY_MS);
  const { rows } = await db.query<{ made: number; cursor: string | null }>(
    `with seen as materialized (
       select id from delivery_queue where id > $6 order by id limit $7
     ), picked as materialized (
       select id from delivery_queue
        where id = any(array(select id from seen)) and ${IS_WAITING}
        order by id limit $8 for update skip locked
     ), made as (
       update delivery_queue
          set run_at = least(run_at, now()), manual = true, retry_job_id = $9,
              ahead = $10 and id = (select id from picked order by id limit 1)
        where id = any(array(select id from picked))
       returning 1
     )
     select (select count(*) from made) as made,
            case when (select count(*) from picked) = $8
                 then (select id from picked order by id desc limit 1)
                 else (select id from seen order by id desc limit 1) end as cursor`,
    [...valuesOf(scope), after, looked, room, jobId, isFirst],
  );
  return rows[0]!; // No from: one row.
}

/** How many were asked for and nobody has begun yet, counted up to `max`. */
export async function countAsked(
  db: Db,
  { endpointId, max }: { endpointId: string; max: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (
       select 1 from delivery_queue
        where endpoint_id = $1 and manual and ahead in (false, true) and run_at <= now() limit $2) q`,
    [endpointId, max],
  );
  return rows[0]!.count; // An aggregate has one row.
}

/** Whether something that the job asked for was not attempted yet. */
export async function hasAsked(
  db: Db,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from delivery_queue
      where endpoint_id = $1 and manual and ahead in (false, true) and run_at <= now()
        and retry_job_id = $2 limit 1`,
    [endpointId, id],
  );
  return rows.length > 0;
}

/** What a job asked for and nobody is attempting goes back to its schedule. */
export async function putBack(
  db: Db,
  { endpointId, jobId }: { endpointId: string; jobId: string },
): Promise<void> {
  await db.query(
    `update delivery_queue
        set run_at = due_at, manual = false, ahead = false, retry_job_id = null
      where endpoint_id = $1 and manual and retry_job_id = $2 and lease_token is null`,
    [endpointId, jobId],
  );
}
