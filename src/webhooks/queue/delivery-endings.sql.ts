import { DEADLINE_MS } from './dispatch-queue.ts';
import { eraseEventsOf } from '../../events/erase-events.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/** How queued deliveries end without an acknowledgement: expired, canceled or erased. */

/** Fails what is not acknowledged after 72 h; returns how many. */
export async function finishExpired(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `with gone as (
       delete from delivery_queue
        where scheduled_from <= now() - $1 * interval '1 ms' and run_at <= now() returning *
     ), lost as (
       insert into delivery_attempts (delivery_id, number, trigger, started_at, error_class)
       select id, attempt, trigger, leased_at, 'lost_lease' from gone where lease_token is not null
           on conflict do nothing
     )
     insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                             attempt_count)
     select id, namespace, endpoint_id, event_id, event_type, trigger, 'failed', attempt from gone`,
    [DEADLINE_MS],
  );
  return rowCount ?? 0;
}

/** Cancels what is on its way to an endpoint that was removed; returns how many. */
export function cancelDeliveries(db: Db, endpointId: string): Promise<number> {
  return cancelWhere(db, 'endpoint_id = $1', [endpointId]);
}

/** Cancels what a job made and nobody is attempting; returns how many. */
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

/**
 * Takes the words of a conversation out of its events and their deliveries: what is on its way is
 * canceled, what is being attempted too (its result does not count), and what receivers answered is
 * removed. Runs in the transaction that erases the conversation.
 */
export async function eraseEvents(
  db: Db,
  about: { conversationId: string },
): Promise<{ erased: number; canceled: number }> {
  const eventIds = await eraseEventsOf(db, about);
  if (eventIds.length === 0) return { erased: 0, canceled: 0 };
  const canceled = await cancelWhere(db, 'event_id = any($1)', [eventIds]);
  await db.query(
    `update delivery_attempts set response_body = null, error_message = null
      where delivery_id = any(array(select id from deliveries where event_id = any($1)))
        and (response_body is not null or error_message is not null)`,
    [eventIds],
  );
  return { erased: eventIds.length, canceled };
}

/** Cancels what was claimed and has nothing to send; the attempt that was begun is not counted. */
export function cancelClaimed(db: Db, ids: readonly string[], leaseToken: string): Promise<number> {
  return cancelWhere(db, 'id = any($1) and lease_token = $2', [ids, leaseToken], 'attempt - 1');
}

async function cancelWhere(
  db: Db,
  condition: string,
  values: unknown[],
  attempts = 'attempt',
): Promise<number> {
  const { rowCount } = await db.query(
    `with gone as (delete from delivery_queue where ${condition} returning *)
     insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                             attempt_count)
     select id, namespace, endpoint_id, event_id, event_type, trigger, 'canceled', ${attempts}
       from gone`,
    values,
  );
  return rowCount ?? 0;
}
