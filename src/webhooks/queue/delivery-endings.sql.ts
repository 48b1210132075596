import { DEADLINE_MS } from './dispatch-queue.ts';
import { eraseEventsOf, type Erasing } from '../../events/erase-events.sql.ts';
import type { EventType } from '../../events/event-types.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Queries that end unacknowledged deliveries: expired ones, canceled ones, and those of erased events. Functions that
 * return a number return the number of ended deliveries, without those of test events. The metrics use this number.
 */

const EXPIRED = `scheduled_from <= now() - $1 * interval '1 ms' and run_at <= now()`;

/** Marks as failed all deliveries that were not acknowledged within 72 h. If there are none, runs only a select. */
export async function finishExpired(db: Db): Promise<number> {
  const { rowCount } = await db.query({
    name: 'find_expired_delivery',
    text: `select from delivery_queue where ${EXPIRED} limit 1`,
    values: [DEADLINE_MS],
  });
  if (rowCount === 0) return 0;
  const { rows } = await db.query<{ count: number }>(
    `with gone as (
       delete from delivery_queue where ${EXPIRED} returning *
     ), lost as (
       insert into delivery_attempts (delivery_id, number, trigger, started_at, error_class)
       select id, attempt, case when manual then 'manual' else trigger end, leased_at, 'lost_lease'
         from gone where lease_token is not null
           on conflict do nothing
     ), finished as (
       insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, test, status,
                               attempt_count)
       select id, namespace, endpoint_id, event_id, event_type, trigger, test, 'failed', attempt
         from gone
     )
     ${COUNTED}`,
    [DEADLINE_MS],
  );
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}

const COUNTED = `select count(*) as count from gone where not test and trigger <> 'test'`;

/** Cancels the unfinished deliveries of a removed endpoint. */
export function cancelDeliveries(db: Db, endpointId: string): Promise<number> {
  return cancelWhere(db, 'endpoint_id = $1', [endpointId]);
}

/** Cancels the deliveries of a job, except those that are being attempted. */
export function cancelJobDeliveries(
  db: Db,
  { endpointId, jobId }: { endpointId: string; jobId: string },
): Promise<number> {
  return cancelWhere(
    db,
    'endpoint_id = $1 and bulk and job_id = $2 and (lease_token is null or run_at <= now())',
    [endpointId, jobId],
  );
}

/** Delivery that was canceled because its event was erased. Ids are UUIDs. */
export type CanceledDelivery = {
  deliveryId: string;
  eventId: string;
  eventType: EventType;
  endpointId: string;
};

/** Maximum number of canceled deliveries whose ids are returned. */
export const CANCELED_NAMED_MAX = 1_000;

/**
 * Erases a conversation's text from its events and their deliveries. If `about.events` is `cancel`, unfinished
 * deliveries are canceled; otherwise they continue without the text. Receivers may repeat the text in their responses,
 * so stored responses are deleted, and the results of running attempts are discarded. Runs in the transaction that
 * erases the conversation.
 */
export async function eraseEvents(
  db: Db,
  about: Erasing,
): Promise<{ erased: number; canceled: CanceledDelivery[]; canceledCount: number }> {
  const eventIds = await eraseEventsOf(db, about);
  if (eventIds.length === 0) return { erased: 0, canceled: [], canceledCount: 0 };
  const { canceled, canceledCount } =
    about.events === 'cancel'
      ? await cancelDeliveriesOf(db, eventIds)
      : await attemptAnew(db, eventIds);
  await db.query(
    `update delivery_attempts set response_body = null, error_message = null
      where delivery_id = any(array(
              select id from deliveries where event_id = any($1)
              union all select id from delivery_queue where event_id = any($1)))
        and (response_body is not null or error_message is not null)`,
    [eventIds],
  );
  return { erased: eventIds.length, canceled, canceledCount };
}

/**
 * Revokes the leases of running attempts and makes the deliveries due one second from now. A claim that has already
 * begun may have read the old body. Because of the delay, the delivery is not due for that claim, which therefore does
 * not take it.
 */
async function attemptAnew(
  db: Db,
  eventIds: readonly string[],
): Promise<{ canceled: CanceledDelivery[]; canceledCount: number }> {
  await db.query(
    // The subquery is materialized, so that all rows get the same time. In a join, PostgreSQL could evaluate it once
    // for each row, at different times.
    `with soon as materialized (select clock_timestamp() + interval '1 s' as at)
     update delivery_queue
        set run_at = case when lease_token is null then greatest(run_at, soon.at) else soon.at end,
            lease_token = case when lease_token is null then null else gen_random_uuid() end
       from soon
      where event_id = any($1)`,
    [eventIds],
  );
  return { canceled: [], canceledCount: 0 };
}

async function cancelDeliveriesOf(
  db: Db,
  eventIds: readonly string[],
): Promise<{ canceled: CanceledDelivery[]; canceledCount: number }> {
  const { rows } = await db.query<CanceledDelivery & { count: number }>(
    `with gone as (delete from delivery_queue where event_id = any($1) returning *), kept as (
       insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, test, status,
                               attempt_count)
       select id, namespace, endpoint_id, event_id, event_type, trigger, test, 'canceled',
              attempt - (lease_token is not null)::int
         from gone)
     select id as "deliveryId", event_id as "eventId", event_type as "eventType",
            endpoint_id as "endpointId", (count(*) over ())::int as count
       from gone order by event_id, id limit ${CANCELED_NAMED_MAX}`,
    [eventIds],
  );
  const canceled = rows.map(({ deliveryId, eventId, eventType, endpointId }) => ({
    deliveryId,
    eventId,
    eventType,
    endpointId,
  }));
  return { canceled, canceledCount: rows[0]?.count ?? 0 };
}

/** Cancels claimed deliveries that have no body to send. */
export function cancelClaimed(db: Db, ids: readonly string[], leaseToken: string): Promise<number> {
  return cancelWhere(db, 'id = any($1) and lease_token = $2', [ids, leaseToken]);
}

/** Cancels matching deliveries. An unrecorded attempt is not counted, because its result is discarded. */
async function cancelWhere(db: Db, condition: string, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `with gone as (
       delete from delivery_queue where ${condition} returning *
     ), canceled as (
       insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, test, status,
                               attempt_count)
       select id, namespace, endpoint_id, event_id, event_type, trigger, test, 'canceled',
              attempt - (lease_token is not null)::int
         from gone
     )
     ${COUNTED}`,
    values,
  );
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}
