import type { DeliveryCounts } from '../../events/event.view.ts';
import type { EventType } from '../../events/event-types.ts';
import type { Trigger } from './dispatch-queue.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/** Delivery as users see it, finished or not. Ids are UUIDs, and times are Unix milliseconds. */
export type DeliveryRow = {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  trigger: Trigger;
  /** Whether this is the delivery of a test event. */
  isTest: boolean;
  status: DeliveryStatus;
  /** Number of recorded attempts, without the one in flight. */
  attemptCount: number;
  inFlightSince: number | null;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  /**
   * The replay (another delivery of the same event) whose acknowledgement also ended this delivery; null if there is
   * none.
   */
  deliveredBy: string | null;
  attempts: AttemptRow[];
};

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'delivered',
  'failed',
  'canceled',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

type AttemptRow = {
  number: number;
  trigger: Trigger;
  startedAt: number;
  durationMs: number | null;
  statusCode: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  responseBody: string | null;
};

/**
 * Returns SQL that selects queued deliveries. `source` is the queue or a subquery on it. A claim increments `attempt`
 * before the attempt takes place. While a delivery has a lease, even an expired one, its last attempt is not recorded
 * yet. That attempt is not part of `attemptCount`.
 */
export const queuedIn = (
  source: string,
): string => `select id, endpoint_id as "endpointId", event_id as "eventId",
    event_type as "eventType", trigger, test or trigger = 'test' as "isTest",
    case when attempt = 0 or (attempt = 1 and lease_token is not null) then 'pending'
         else 'retrying' end as status,
    attempt - (lease_token is not null)::int as "attemptCount",
    case when run_at > now() then leased_at end as "inFlightSince",
    case when manual and lease_token is null then run_at else due_at end as "nextAttemptAt",
    null::timestamptz as "deliveredAt", null::uuid as "deliveredBy"
  from ${source}`;
/** Returns SQL that selects finished deliveries. `source` is their table or a subquery on it. */
export const finishedIn = (
  source: string,
): string => `select id, endpoint_id as "endpointId", event_id as "eventId",
    event_type as "eventType", trigger, test or trigger = 'test' as "isTest", status,
    attempt_count as "attemptCount", null::timestamptz as "inFlightSince",
    null::timestamptz as "nextAttemptAt", delivered_at as "deliveredAt",
    delivered_by as "deliveredBy"
  from ${source}`;

/**
 * Returns SQL that reads the attempts in the same statement as the delivery. With two statements, the attempts could be
 * newer than the delivery's row. `and` is an additional SQL condition on the attempts, whose alias is `a`.
 */
export const withAttempts = (and = ''): string => `select d.*, (
    select coalesce(jsonb_agg(jsonb_build_object(
             'number', a.number, 'trigger', a.trigger,
             'startedAt', floor(extract(epoch from a.started_at) * 1000),
             'durationMs', a.duration_ms, 'statusCode', a.status_code,
             'errorClass', a.error_class, 'errorMessage', a.error_message,
             'responseBody', a.response_body) order by a.number), '[]')
      from delivery_attempts a where a.delivery_id = d.id ${and}) as attempts`;

export async function readDelivery(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<DeliveryRow | undefined> {
  const { rows } = await db.query<DeliveryRow>(
    `${withAttempts()} from (
       ${queuedIn('delivery_queue')} where id = $1 and namespace = $2
       union all
       ${finishedIn('deliveries')} where id = $1 and namespace = $2) d`,
    [id, namespace],
  );
  return rows[0];
}

/**
 * Counts deliveries by event. The map has no entry for an event without deliveries. Deliveries that wait for a retry
 * count as pending.
 */
export async function countDeliveries(
  db: Db,
  eventIds: readonly string[],
): Promise<Map<string, DeliveryCounts>> {
  const { rows } = await db.query<DeliveryCounts & { eventId: string }>(
    `select event_id as "eventId",
            count(*) filter (where status = 'pending') as pending,
            count(*) filter (where status = 'delivered') as delivered,
            count(*) filter (where status = 'failed') as failed,
            count(*) filter (where status = 'canceled') as canceled
       from (select event_id, 'pending' as status from delivery_queue where event_id = any($1)
             union all
             select event_id, status from deliveries where event_id = any($1)) d
      group by event_id`,
    [eventIds],
  );
  return new Map(rows.map(({ eventId, ...counts }) => [eventId, counts]));
}

/**
 * Counts a namespace's unfinished deliveries that were created by test events and by replays of single events, up to
 * `max`.
 */
export async function countRequested(
  db: Db,
  { namespace, max }: { namespace: string; max: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count_requested',
    text: `select count(*) as count
             from (select 1 from delivery_queue
                    where namespace = $1 and trigger in ('replay', 'test') and job_id is null
                    limit $2) q`,
    values: [namespace, max],
  });
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}

/** Delivery of one event to one endpoint, with the facts that determine the time of its next attempt. */
export type ExplainableDelivery = {
  id: string;
  status: 'queued' | 'delivered' | 'failed' | 'canceled';
  /** Number of attempts begun so far. */
  attempts: number;
  isLeased: boolean;
  /** Whether the delivery waits because the delivery of an earlier event of the same conversation has not started. */
  isOutOfTurn: boolean;
  /** Time in Unix milliseconds at which the next attempt is due; null if no attempt is scheduled. */
  dueAt: number | null;
};

/** Lists the deliveries of an event to an endpoint, newest first. */
export async function explainableDeliveries(
  db: Db,
  { eventId, endpointId }: { eventId: string; endpointId: string },
): Promise<ExplainableDelivery[]> {
  const { rows } = await db.query<ExplainableDelivery>(
    `select d.id, 'queued' as status, d.attempt as attempts,
            case when d.manual and d.lease_token is null then d.run_at else d.due_at end as "dueAt",
            d.lease_token is not null and d.run_at > now() as "isLeased",
            d.conversation_id is not null and not d.started and exists (
              select 1 from delivery_queue e
               where e.conversation_id = d.conversation_id and e.endpoint_id = d.endpoint_id
                 and not e.started and e.sequence < d.sequence) as "isOutOfTurn"
       from delivery_queue d where d.event_id = $1 and d.endpoint_id = $2
     union all
     select id, status, attempt_count, null, false, false
       from deliveries where event_id = $1 and endpoint_id = $2
     order by id desc`,
    [eventId, endpointId],
  );
  return rows;
}
