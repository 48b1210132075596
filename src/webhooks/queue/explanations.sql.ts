import type { Db } from '../../platform/postgres/pool.ts';

/** A delivery of one event to one endpoint, with what decides about its next attempt. */
export type ExplainableDelivery = {
  id: string;
  status: 'queued' | 'delivered' | 'failed' | 'canceled';
  /** Begun so far. */
  attempts: number;
  isLeased: boolean;
  /** An earlier event of its conversation has not started. */
  isHeld: boolean;
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
                 and not e.started and e.sequence < d.sequence) as "isHeld"
       from delivery_queue d where d.event_id = $1 and d.endpoint_id = $2
     union all
     select id, status, attempt_count, null, false, false
       from deliveries where event_id = $1 and endpoint_id = $2
     order by id desc`,
    [eventId, endpointId],
  );
  return rows;
}
