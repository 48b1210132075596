import { lowestUuidAt, nextUuid, uuidTimeMs } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Queries for the events that were sent to an endpoint, in order. Parley compares these events with those that the
 * receiver has (contract/webhooks.md#reconcile). Digests exclude test events. IDs are UUIDs.
 */

/** Range of an endpoint's events, by their ids; `from` is inclusive, `to` exclusive. */
export type SentSpan = { endpointId: string; from: string; to: string };

/** Event with at least one delivery that was not canceled. */
export type SentEvent = {
  id: string;
  isDelivered: boolean;
  /** Whether the queue still has a delivery of this event. */
  isQueued: boolean;
};

const DAY_MS = 86_400_000;

/**
 * Returns a lower bound for the ids of an event's deliveries. A delivery is created after its event, apart from clock
 * differences. With the bound, PostgreSQL skips the partitions of earlier days.
 */
function oldestDelivery(eventId: string): string {
  return lowestUuidAt(uuidTimeMs(eventId) - DAY_MS);
}

/**
 * Page of events in the order of their ids. `next` is the first id of the following page, or null after the last page.
 */
export type SentPage = { events: SentEvent[]; next: string | null };

const OF_SPAN = `endpoint_id = $1 and event_id >= $2 and event_id < $3 and trigger <> 'test'`;
const SENT = `deliveries where ${OF_SPAN} and id >= $5`;
const QUEUED = `delivery_queue where ${OF_SPAN}`;

/**
 * Reads the events of about `size` deliveries. The statement first finds the end of the page in the index on endpoint
 * and event, and then reads the whole page. The cost therefore depends only on the size of the page, even if the
 * planner misjudges the number of rows in a month of partitions. The deliveries of one event are never split between
 * two pages.
 *
 * An event with a scheduled delivery is not a test event. If all deliveries of an event are replays, the event's row in
 * `events` says whether it is a test event.
 */
export async function readSent(db: Db, span: SentSpan, size: number): Promise<SentPage> {
  const { rows } = await db.query<{ end: string | null } & SentEvent>(
    `with page as materialized (
       select least((select event_id from ${SENT} order by event_id offset $4 - 1 limit 1),
                    (select event_id from ${QUEUED} order by event_id offset $4 - 1 limit 1)) as "end"
     ), sent as materialized (
       select event_id as id, bool_or(status = 'delivered') as "isDelivered",
              bool_or(status = 'queued') as "isQueued"
         from (select event_id, status, trigger from ${SENT}
                  and event_id <= coalesce((select "end" from page), $3)
               union all
               select event_id, 'queued', trigger from ${QUEUED}
                  and event_id <= coalesce((select "end" from page), $3)) d
        group by event_id
       having bool_or(status <> 'canceled')
          and (bool_or(trigger = 'schedule')
               or (select e.endpoint_id from events e where e.id = d.event_id) is null)
     )
     select page."end", sent.* from page left join sent on true order by sent.id`,
    [span.endpointId, span.from, span.to, size, oldestDelivery(span.from)],
  );
  const end = rows[0]?.end ?? null;
  // If a page has only test events and canceled deliveries, the query returns one row with the end of the page and no
  // event.
  return {
    events: rows.filter(({ id }) => id !== null),
    next: end === null ? null : nextUuid(end),
  };
}

/**
 * Returns the given events that have been sent to the endpoint or are being sent. `isCounted` is true if a digest
 * includes the event: it is not a test event, and not all its deliveries were canceled.
 */
export async function findSent(
  db: Db,
  { endpointId, ids }: { endpointId: string; ids: readonly string[] },
): Promise<{ id: string; isCounted: boolean }[]> {
  if (ids.length === 0) return [];
  const oldest = ids.reduce((least, id) => (id < least ? id : least));
  // Uses a sub-select. Without it, PostgreSQL would compare each of thousands of ids with each partition.
  const { rows } = await db.query<{ id: string; isCounted: boolean }>(
    `select event_id as id,
            bool_or(status <> 'canceled') and not bool_or(trigger = 'test') as "isCounted"
       from (select event_id, status, trigger from deliveries
              where endpoint_id = $1 and event_id = any(array(select unnest($2::uuid[])))
                and id >= $3
             union all
             select event_id, 'queued', trigger from delivery_queue
              where endpoint_id = $1 and event_id = any(array(select unnest($2::uuid[])))) d
      group by event_id`,
    [endpointId, ids, oldestDelivery(oldest)],
  );
  return rows;
}

/** Lists the given events that were erased or redacted and therefore cannot be replayed. */
export async function listErased(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<{ id: string }>(
    'select id from events where id = any($1) and coalesce(erased_at, redacted_at) is not null order by id',
    [ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * Queues a delivery of each of the given events, unless the event was erased or already has a queued delivery. The rows
 * have the request's ID as their job ID, although no such job exists. Like the deliveries of replay jobs, they
 * therefore have lower priority than new events.
 */
export async function insertMissing(
  db: Db,
  missing: { namespace: string; endpointId: string; ids: readonly string[]; requestId: string },
): Promise<{ id: string; eventId: string }[]> {
  const { rows } = await db.query<{ id: string; eventId: string }>(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger, job_id)
     select parley_uuid_v7(), $1, $2, e.id, e.type, 'replay', $4 from events e
      where e.id = any($3) and e.namespace = $1 and coalesce(e.erased_at, e.redacted_at) is null
        and not exists (
          select 1 from delivery_queue q where q.event_id = e.id and q.endpoint_id = $2)
      order by e.id
     returning id, event_id as "eventId"`,
    [missing.namespace, missing.endpointId, missing.ids, missing.requestId],
  );
  return rows;
}
