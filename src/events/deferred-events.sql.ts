import type { Db } from '../platform/postgres/pool.ts';
import type { EventType } from './event-types.ts';

/** Inserts an event. Returns the id of its row. */
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

/** Removes and returns an event, by default the oldest. Skips rows locked by other sessions. */
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
