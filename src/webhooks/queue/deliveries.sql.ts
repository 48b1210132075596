import type { DeliveryCounts } from '../../events/event.view.ts';
import type { EventType } from '../../events/event-types.ts';
import type { Trigger } from './dispatch-queue.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/** A delivery as users see it, finished or not. Ids are uuids, times Unix milliseconds. */
export type DeliveryRow = {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  trigger: Trigger;
  status: DeliveryStatus;
  attemptCount: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  attempts: AttemptRow[];
};

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'delivered',
  'failed',
  'canceled',
] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

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

/** `attempt` is raised by the claim, so one in flight is counted already. */
const QUEUED = `select id, endpoint_id as "endpointId", event_id as "eventId",
    event_type as "eventType", trigger,
    case when attempt = 0 or (attempt = 1 and lease_token is not null) then 'pending'
         else 'retrying' end as status,
    attempt as "attemptCount", due_at as "nextAttemptAt", null::timestamptz as "deliveredAt"
  from delivery_queue`;
const FINISHED = `select id, endpoint_id as "endpointId", event_id as "eventId",
    event_type as "eventType", trigger, status, attempt_count as "attemptCount",
    null::timestamptz as "nextAttemptAt", delivered_at as "deliveredAt"
  from deliveries`;

/** In the statement that reads the delivery: of two statements one would see newer rows. */
const WITH_ATTEMPTS = `select d.*, (
    select coalesce(jsonb_agg(jsonb_build_object(
             'number', a.number, 'trigger', a.trigger,
             'startedAt', floor(extract(epoch from a.started_at) * 1000),
             'durationMs', a.duration_ms, 'statusCode', a.status_code,
             'errorClass', a.error_class, 'errorMessage', a.error_message,
             'responseBody', a.response_body) order by a.number), '[]')
      from delivery_attempts a where a.delivery_id = d.id) as attempts`;

export async function readDelivery(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<DeliveryRow | undefined> {
  const { rows } = await db.query<DeliveryRow>(
    `${WITH_ATTEMPTS} from (
       ${QUEUED} where id = $1 and namespace = $2
       union all
       ${FINISHED} where id = $1 and namespace = $2) d`,
    [id, namespace],
  );
  return rows[0];
}

/** Newest first; `status` as users name it, `before` the id after which the page starts. */
export async function listDeliveries(
  db: Db,
  page: {
    of: { endpointId: string } | { eventId: string };
    status: DeliveryStatus | undefined;
    before: string | undefined;
    limit: number;
  },
): Promise<DeliveryRow[]> {
  const [column, id] =
    'endpointId' in page.of ? ['endpoint_id', page.of.endpointId] : ['event_id', page.of.eventId];
  const where = `where ${column} = $1 and ($2::uuid is null or id < $2)`;
  const { rows } = await db.query<DeliveryRow>(
    `${WITH_ATTEMPTS} from (
       select * from (
         (select * from (${QUEUED} ${where}) q where $3::text is null or status = $3
           order by id desc limit $4)
         union all
         (${FINISHED} ${where} and ($3::text is null or status = $3) order by id desc limit $4)) u
        order by id desc limit $4) d
      order by id desc`,
    [id, page.before, page.status, page.limit],
  );
  return rows;
}

/** By event; an event without deliveries is missing from the map. Retrying counts as pending. */
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

/** A delivery of one event to one endpoint, with what decides its next attempt. */
export type ExplainableDelivery = {
  id: string;
  status: 'queued' | 'delivered' | 'failed' | 'canceled';
  /** Begun so far. */
  attempts: number;
  isLeased: boolean;
  /** An earlier event of its conversation has not started. */
  isOutOfTurn: boolean;
  /** Unix ms */
  dueAt: number | null;
};

/** Newest first. */
export async function explainableDeliveries(
  db: Db,
  { eventId, endpointId }: { eventId: string; endpointId: string },
): Promise<ExplainableDelivery[]> {
  const { rows } = await db.query<ExplainableDelivery>(
    `select d.id, 'queued' as status, d.attempt as attempts, d.due_at as "dueAt",
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
