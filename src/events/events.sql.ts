import { subscriptionsTo, type EventType } from './event-types.ts';
import { lowestUuidAt } from '../ids.ts';
import { CHANNELS } from '../platform/postgres/notifications.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** An event about to be committed with the change it tells of. Ids are uuids. */
export type NewEvent = {
  id: string;
  namespace: string;
  type: EventType;
  conversationId?: string;
  /** Position in its conversation, taken under the conversation's row lock. */
  sequence?: number;
  agentId?: string;
  body: Buffer;
};

export type EventRow = {
  id: string;
  namespace: string;
  type: EventType;
  /** Of a test event: the only endpoint it is for. */
  endpointId: string | null;
  /** Unix ms; its words are gone and it is sent no more. */
  erasedAt: number | null;
  body: Buffer;
};

export type DeliveryCounts = {
  pending: number;
  delivered: number;
  failed: number;
  canceled: number;
};

/**
 * The outbox, in one statement: the event, and one queued delivery for each endpoint of its
 * namespace that is enabled and subscribed. Returns those endpoints, to be woken after commit.
 */
export async function insertEvent(db: Db, event: NewEvent): Promise<string[]> {
  const { rows } = await db.query<{ endpointId: string }>({
    name: 'insert_event',
    text: `with event as (
        insert into events (id, namespace, type, conversation_id, agent_id, body)
        values ($1, $2, $3, $4, $5, $6)
      )
      insert into delivery_queue
        (id, namespace, endpoint_id, event_id, event_type, conversation_id, sequence, trigger)
      select parley_uuid_v7(), $2, e.id, $1, $3, $4, $7, 'schedule'
        from webhook_endpoints e
       where e.namespace = $2 and e.enabled and e.deleted_at is null
         and (e.event_types = '{}' or e.event_types && $8::text[])
      returning endpoint_id as "endpointId"`,
    values: [
      event.id,
      event.namespace,
      event.type,
      event.conversationId ?? null,
      event.agentId ?? null,
      event.body,
      event.sequence ?? null,
      subscriptionsTo(event.type),
    ],
  });
  return rows.map(({ endpointId }) => endpointId);
}

/** An event for one endpoint only, and its delivery. Ids are uuids. */
export type NewTestEvent = {
  id: string;
  deliveryId: string;
  namespace: string;
  type: EventType;
  endpointId: string;
  body: Buffer;
};

/**
 * Test events and their queued deliveries, in one statement however many they are. Returns the
 * deliveries of those whose endpoint is there and enabled; of the others nothing is stored.
 *
 * It also wakes who is to know (notifications.ts says why others do that after their commit): many
 * events share the one commit that waits in that line, and it saves each a round trip. At most 200
 * events, for what a notification can hold.
 */
export async function insertTestEvents(
  db: Db,
  events: readonly NewTestEvent[],
): Promise<Set<string>> {
  const column = <K extends keyof NewTestEvent>(key: K): NewTestEvent[K][] =>
    events.map((event) => event[key]);
  let end = 0;
  const ends = events.map(({ body }) => (end += body.length));
  const { rows } = await db.query<{ id: string }>({
    name: 'insert_test_events',
    text: `with given as materialized (
        select g.id, g.delivery_id, g.namespace, g.type, g.endpoint_id,
               substring($7::bytea from g.start + 1 for g.length) as body
          from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::int[], $8::int[])
            as g (id, delivery_id, namespace, type, endpoint_id, start, length)
         where exists (
           select 1 from webhook_endpoints e
            where e.id = g.endpoint_id and e.namespace = g.namespace and e.enabled
              and e.deleted_at is null offset 0)
      ), event as (
        insert into events (id, namespace, type, body, endpoint_id)
        select id, namespace, type, body, endpoint_id from given
      ), queued as (
        insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
        select delivery_id, namespace, endpoint_id, id, type, 'test' from given
        returning id
      ), told as materialized (
        select pg_notify($9, coalesce(string_agg(distinct endpoint_id::text, ','), '')),
               pg_notify($10, case when count(distinct namespace) < 100
                                   then string_agg(distinct namespace, ',') else '*' end)
          from given
      )
      select queued.id from queued cross join told`,
    values: [
      column('id'),
      column('deliveryId'),
      column('namespace'),
      column('type'),
      column('endpointId'),
      ends.map((at, i) => at - events[i]!.body.length),
      // As one value: an array of them would be sent as text, each byte as two digits.
      Buffer.concat(column('body')),
      column('body').map(({ length }) => length),
      CHANNELS.deliveries,
      CHANNELS.events,
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * New deliveries of an old event: to one endpoint, or to each enabled one subscribed now; a
 * test event only ever to its own. The schedule counts from this request.
 */
export async function insertReplay(
  db: Db,
  replay: { event: EventRow; endpointId: string | null },
): Promise<{ id: string; endpointId: string }[]> {
  const { event } = replay;
  const { rows } = await db.query<{ id: string; endpointId: string }>(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
     select parley_uuid_v7(), $1, e.id, $2, $3, 'replay'
       from webhook_endpoints e
      where e.namespace = $1 and e.enabled and e.deleted_at is null
        and ($4::uuid is null or e.id = $4)
        and ($5::uuid is null or e.id = $5)
        and ($4::uuid is not null or $5::uuid is not null
             or e.event_types = '{}' or e.event_types && $6::text[])
      order by e.id
     returning id, endpoint_id as "endpointId"`,
    [
      event.namespace,
      event.id,
      event.type,
      replay.endpointId,
      event.endpointId,
      subscriptionsTo(event.type),
    ],
  );
  return rows;
}

const COLUMNS = `id, namespace, type, endpoint_id as "endpointId", erased_at as "erasedAt", body`;

export async function readEvent(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<EventRow | undefined> {
  const { rows } = await db.query<EventRow>(
    `select ${COLUMNS} from events where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

export type EventFilter = {
  namespace: string;
  type?: string;
  conversationId?: string;
  agentId?: string;
  /** Unix seconds, inclusive */
  createdAfter?: number;
  /** Unix seconds, exclusive */
  createdBefore?: number;
  /** uuid after which the page starts */
  before: string | null;
  limit: number;
};

/** Newest first. Time filters become bounds of the id, so whole partitions are left out. */
export async function listEvents(db: Db, filter: EventFilter): Promise<EventRow[]> {
  const bound = (seconds: number | undefined): string | undefined =>
    seconds === undefined ? undefined : lowestUuidAt(seconds * 1_000);
  // Only what is asked for stands in the statement: each filter finds its index.
  const conditions: [string, string | undefined][] = [
    ['namespace =', filter.namespace],
    ['type =', filter.type],
    ['conversation_id =', filter.conversationId],
    ['agent_id =', filter.agentId],
    ['id >=', bound(filter.createdAfter)],
    ['id <', bound(filter.createdBefore)],
    ['id <', filter.before ?? undefined],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const { rows } = await db.query<EventRow>(
    `select ${COLUMNS} from events
      where ${given.map(([condition], i) => `${condition} $${i + 1}`).join(' and ')}
      order by id desc limit $${given.length + 1}`,
    [...given.map(([, value]) => value), filter.limit],
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
