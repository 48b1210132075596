import { lowestUuidAt, nextUuid, uuidTimeMs } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * What an endpoint was sent, by event and in their order: the side of the comparison that is ours
 * (contract/webhooks.md#reconcile). Test events are of no digest. Ids are uuids.
 */

/** Of an endpoint; events from `from` on, before `to`. */
export type SentSpan = { endpointId: string; from: string; to: string };

/** An event of which a delivery was made, and not all of them were canceled. */
export type SentEvent = {
  id: string;
  isDelivered: boolean;
  /** A delivery of it is on its way. */
  isQueued: boolean;
};

const DAY_MS = 86_400_000;

/** A delivery is younger than its event, give or take clocks: older partitions are left out. */
function oldestDelivery(eventId: string): string {
  return lowestUuidAt(uuidTimeMs(eventId) - DAY_MS);
}

/** Events in the order of their ids; `next`: where the following page begins, null after the last. */
export type SentPage = { events: SentEvent[]; next: string | null };

const OF_SPAN = `endpoint_id = $1 and event_id >= $2 and event_id < $3 and trigger <> 'test'`;
const SENT = `deliveries where ${OF_SPAN} and id >= $5`;
const QUEUED = `delivery_queue where ${OF_SPAN}`;

/**
 * The events of about `size` deliveries. Where the page ends is looked up first, in the order of the
 * index on endpoint and event, and then all of it is read: so a page costs what is in it, whatever
 * the planner expects of a month of partitions, and no event is torn.
 *
 * Most events were sent when they happened, and are no tests; of one that was only replayed, the
 * event itself tells.
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
  // A page of nothing but tests and canceled ones is one row, of its end alone.
  return {
    events: rows.filter(({ id }) => id !== null),
    next: end === null ? null : nextUuid(end),
  };
}

/**
 * Which of these events the endpoint was ever sent, or is being sent; `isCounted`: they are of a
 * digest, so no test events, and not canceled whenever they were sent.
 */
export async function findSent(
  db: Db,
  { endpointId, ids }: { endpointId: string; ids: readonly string[] },
): Promise<{ id: string; isCounted: boolean }[]> {
  if (ids.length === 0) return [];
  const oldest = ids.reduce((least, id) => (id < least ? id : least));
  // Through a sub-select: of a list of thousands PostgreSQL would weigh each id for each partition.
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

/** Which of these events have lost their words, or what said whose they were: none is replayed. */
export async function listErased(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<{ id: string }>(
    'select id from events where id = any($1) and coalesce(erased_at, redacted_at) is not null order by id',
    [ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * Queues a delivery of each of these events that has none on its way and still has its words. They
 * carry the id of the request as that of a job, though there is none: so they give way to what
 * happens meanwhile, like all that makes up for the past.
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
