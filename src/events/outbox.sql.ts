import { CHANNELS } from '../platform/postgres/notifications.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { speak } from '../platform/postgres/silence.ts';
import { subscriptionsTo, type EventType } from './event-types.ts';

/**
 * The outbox: one statement writes events and their deliveries, in the transaction of the change. Outside
 * `webhooks`, only this file accesses the delivery queue and the endpoints.
 */

/** Event to commit together with the change that it reports. Ids are UUIDs. */
export type NewEvent = {
  id: string;
  namespace: string;
  type: EventType;
  conversationId?: string;
  /** Position of the event in its conversation, assigned while the conversation's row is locked. */
  sequence?: number;
  agentId?: string;
  body: Buffer;
  /** Trace in which the event happened. Its deliveries continue the trace. */
  traceparent?: string | undefined;
};

/**
 * Inserts events, and for each event one queued delivery to every endpoint of its namespace that is enabled and
 * subscribed to its type. Returns the endpoints of each event. The caller must wake their deliveries after the commit.
 */
export async function insertEvents(db: Db, events: readonly NewEvent[]): Promise<string[][]> {
  speak(db);
  const column = <K extends keyof NewEvent>(key: K): (NewEvent[K] | null)[] =>
    events.map((event) => event[key] ?? null);
  const bodies = bodiesOf(events);
  const { rows } = await db.query<{ eventId: string; endpointId: string }>({
    name: 'insert_events',
    text: `with given as materialized (
        select g.id, g.namespace, g.type, g.conversation_id, g.agent_id, g.sequence, g.traceparent,
               substring($8::bytea from g.start + 1 for g.length) as body,
               string_to_array(g.subscriptions, ' ') as subscriptions
          from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::int[], $7::text[],
                      $9::int[], $10::int[], $11::text[])
            as g (id, namespace, type, conversation_id, agent_id, sequence, traceparent, start, length,
                  subscriptions)
      ), event as (
        insert into events (id, namespace, type, conversation_id, agent_id, body, traceparent)
        select id, namespace, type, conversation_id, agent_id, body, traceparent from given
      )
      insert into delivery_queue
        (id, namespace, endpoint_id, event_id, event_type, conversation_id, sequence, trigger)
      select parley_uuid_v7(), given.namespace, e.id, given.id, given.type, given.conversation_id,
             given.sequence, 'schedule'
        from given join webhook_endpoints e on e.namespace = given.namespace and e.enabled
         and e.deleted_at is null
         and (e.event_types = '{}' or e.event_types && given.subscriptions)
      returning event_id as "eventId", endpoint_id as "endpointId"`,
    values: [
      column('id'),
      column('namespace'),
      column('type'),
      column('conversationId'),
      column('agentId'),
      column('sequence'),
      column('traceparent'),
      bodies.all,
      bodies.starts,
      bodies.lengths,
      events.map(({ type }) => subscriptionsTo(type).join(' ')),
    ],
  });
  return events.map(({ id }) =>
    rows.filter(({ eventId }) => eventId === id).map(({ endpointId }) => endpointId),
  );
}

/**
 * Joins event bodies into one query parameter. An array of bodies would be sent as text, with two hexadecimal digits
 * for each byte.
 */
function bodiesOf(events: readonly { body: Buffer }[]) {
  const lengths = events.map(({ body }) => body.length);
  let end = 0;
  const starts = lengths.map((length) => (end += length) - length);
  return { all: Buffer.concat(events.map(({ body }) => body)), starts, lengths };
}

/** Event for a single endpoint, and its delivery. Ids are UUIDs. */
export type NewTestEvent = {
  id: string;
  deliveryId: string;
  namespace: string;
  type: EventType;
  endpointId: string;
  body: Buffer;
  traceparent?: string | undefined;
};

/**
 * Inserts up to 200 test events and their queued deliveries in one statement. Returns the ids of the deliveries
 * whose endpoint exists and is enabled. For other endpoints, it stores nothing.
 *
 * The statement also sends the notifications. Other producers notify after their commit, because a commit that notifies
 * waits for a lock (see src/platform/postgres/notifications.ts). Here, many events share one commit and wait for the
 * lock only once, and each event saves a round trip. A notification has a size limit, so at most 200 events fit.
 */
export async function insertTestEvents(
  db: Db,
  events: readonly NewTestEvent[],
): Promise<Set<string>> {
  speak(db);
  const column = <K extends keyof NewTestEvent>(key: K): NewTestEvent[K][] =>
    events.map((event) => event[key]);
  const bodies = bodiesOf(events);
  const { rows } = await db.query<{ id: string }>({
    name: 'insert_test_events',
    text: `with given as materialized (
        select g.id, g.delivery_id, g.namespace, g.type, g.endpoint_id,
               substring($7::bytea from g.start + 1 for g.length) as body, g.traceparent
          from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::int[], $8::int[],
                      $11::text[])
            as g (id, delivery_id, namespace, type, endpoint_id, start, length, traceparent)
         where exists (
           select 1 from webhook_endpoints e
            where e.id = g.endpoint_id and e.namespace = g.namespace and e.enabled
              and e.deleted_at is null offset 0)
      ), event as (
        insert into events (id, namespace, type, body, endpoint_id, traceparent)
        select id, namespace, type, body, endpoint_id, traceparent from given
      ), queued as (
        insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger, test)
        select delivery_id, namespace, endpoint_id, id, type, 'test', true from given
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
      bodies.starts,
      bodies.all,
      bodies.lengths,
      CHANNELS.deliveries,
      CHANNELS.events,
      events.map(({ traceparent }) => traceparent ?? null),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Stores an event to be emitted later. Returns the id of its row. */
export async function insertDeferred(
  db: Db,
  event: { namespace: string; type: EventType; data: object },
): Promise<string> {
  const { rows } = await db.query<{ id: string }>({
    name: 'defer_event',
    text: `insert into deferred_events (namespace, type, data) values ($1, $2, $3)
           returning id::text as id`,
    values: [event.namespace, event.type, JSON.stringify(event.data)],
  });
  return rows[0]!.id; // An insert always returns its row.
}

export async function hasDeferred(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ hasAny: boolean }>({
    name: 'has_deferred_event',
    text: `select exists (select from deferred_events) as "hasAny"`,
  });
  return rows[0]!.hasAny; // A select without `from` yields one row.
}

/** Deletes a deferred event, by default the oldest, and returns it. Skips rows locked by other sessions. */
export async function takeDeferred(
  db: Db,
  id: string | null,
): Promise<{ namespace: string; type: EventType; data: never } | undefined> {
  const { rows } = await db.query<{ namespace: string; type: EventType; data: never }>({
    name: 'take_deferred_event',
    text: `delete from deferred_events
            where id = (select id from deferred_events where $1::bigint is null or id = $1
                         order by id limit 1 for update skip locked)
           returning namespace, type, data`,
    values: [id],
  });
  return rows[0];
}
