import type { EventRow } from '../../events/events.sql.ts';
import { subscriptionsTo } from '../../events/event-types.ts';
import type { Db } from '../../platform/postgres/pool.ts';

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
