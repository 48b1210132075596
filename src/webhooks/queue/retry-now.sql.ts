import { DEADLINE_MS } from './dispatch-queue.ts';
import { lowestUuidAt, uuidTimeMs } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Retries waiting deliveries on request (contract/deliveries.md#retry). A retry changes the existing row of a delivery
 * instead of adding a row: it sets `run_at` to now, unless the delivery is already due, and `manual` to true. The
 * scheduled times do not change, so the schedule continues if the requested attempt fails. Deliveries that are being
 * attempted are not changed.
 */

/** Facts that determine whether a queued delivery can be retried. */
export type Retriable = { isLeased: boolean; isOver: boolean; isEnabled: boolean };

/**
 * Locks the row of a queued delivery until the transaction ends. Returns undefined if the delivery is not in the queue.
 */
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

/** Makes a delivery due ahead of all others to its endpoint, bypassing the breaker (src/webhooks/delivery/slots.ts). */
export async function makeDue(db: Db, id: string): Promise<void> {
  await db.query(
    `update delivery_queue set run_at = least(run_at, now()), manual = true, ahead = true
      where id = $1 and lease_token is null`,
    [id],
  );
}

/** Scope of a retry job: waiting deliveries to an endpoint that have failed at least once. */
export type RetryScope = {
  endpointId: string;
  types: readonly string[];
  /** Range of event ids (UUIDs); `from` is inclusive, `to` exclusive. */
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
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}

const DAY_MS = 86_400_000;

/**
 * Makes the next batch of a job's deliveries due. Reads up to `rows` rows of the queue in the order of their ids, and
 * makes up to `room` deliveries due. Skips locked rows, whose deliveries are being attempted or recorded. With
 * `isFirst`, one delivery bypasses the breaker, so that a recovered receiver is detected immediately; if its attempt
 * fails, the breaker pauses the endpoint again. `cursor` is the last row processed, or null if all rows have been
 * processed.
 */
export async function makeBatchDue(
  db: Db,
  input: {
    scope: RetryScope;
    jobId: string;
    /** UUID of the last delivery of the previous batch; null for the first batch. */
    after: string | null;
    isFirst: boolean;
    rows: number;
    room: number;
  },
): Promise<{ made: number; cursor: string | null }> {
  const { scope, jobId, isFirst, rows: looked, room } = input;
  // A delivery is created after its event. The extra day allows for clock differences.
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
  return rows[0]!; // `rows[0]` exists: a select without `from` returns one row.
}

/** Counts the requested retries of an endpoint that have not begun, up to `max`. */
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
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}

/** Returns true if at least one retry that the job requested has not begun. */
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

/** Puts the deliveries of a job back on their schedule, except those whose attempt has begun. */
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
