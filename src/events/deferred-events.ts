import { createPeriodic, type Periodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { hasDeferred, insertDeferred, takeDeferred } from './outbox.sql.ts';
import { emitEvent, type Announce, type EventToEmit } from './emit-event.ts';
import type { EventType } from './event-types.ts';

/**
 * Emits the events of long transactions after the commit (docs/decisions/0051). An event inside a long transaction
 * would hold back all later events of the stream until the commit. So the long transaction only stores its events,
 * together with its change, and a separate transaction emits them after the commit. If a process dies in between, a
 * periodic search finds the stored events, so none is lost.
 */

/**
 * Event to defer. It cannot belong to a conversation, because the order of a conversation's events is assigned in the
 * transaction of the change.
 */
export type EventToDefer<T extends EventType> = Pick<EventToEmit<T>, 'namespace' | 'type' | 'data'>;

/** Reference to a deferred event: the ID of its row. `emitDeferred` emits that event. */
export type Deferred = { deferredId: string };

/**
 * Stores an event with one statement, in the transaction of the change. The transaction may have declared that it emits
 * no events (silence.ts), because `emitDeferred` emits this event in a different transaction.
 */
export async function deferEvent<T extends EventType>(
  db: Db,
  event: EventToDefer<T>,
): Promise<Deferred> {
  return { deferredId: await insertDeferred(db, event) };
}

export type EmitDeferredDeps = { pool: Pool; announce: Announce; nowMs: () => number };

/**
 * Emits a deferred event and deletes its row in one transaction. By default, takes the oldest event. Returns false if
 * no event is left, or if another process is emitting this event.
 */
export async function emitDeferred(
  { pool, announce, nowMs }: EmitDeferredDeps,
  deferred?: Deferred,
): Promise<boolean> {
  const emitted = await inTransaction(pool, async (db) => {
    const event = await takeDeferred(db, deferred?.deferredId ?? null);
    return event && (await emitEvent(db, event, nowMs()));
  });
  if (emitted) announce(emitted);
  return emitted !== undefined;
}

/** Interval in ms between searches for events that are still deferred because a process died or an emission failed. */
const LOOK_MS = 10_000;

export function createDeferredEvents(deps: EmitDeferredDeps & { log: Logger }): Periodic {
  return createPeriodic({
    what: 'emitting deferred events',
    everyMs: LOOK_MS,
    log: deps.log,
    run: async () => (await hasDeferred(deps.pool)) && emitDeferred(deps),
  });
}
