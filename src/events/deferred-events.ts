import { createPeriodic, type Periodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { insertDeferred, takeDeferred } from './deferred-events.sql.ts';
import { emitEvent, type Announce, type EventToEmit } from './emit-event.ts';
import type { EventType } from './event-types.ts';

/**
 * Events of transactions that last (docs/decisions/0051): put aside with the change, and emitted after its
 * commit by a transaction of their own. A process that dies in between loses none: all that is put aside is
 * looked for.
 */

/** An event of no conversation: the order of those is taken in the transaction of the change. */
export type EventToDefer<T extends EventType> = Pick<EventToEmit<T>, 'namespace' | 'type' | 'data'>;

/** Put aside; the number is for `emitDeferred`. */
export type Deferred = { deferredId: string };

/** In the transaction of the change, which may be silent. One statement. */
export async function deferEvent<T extends EventType>(
  db: Db,
  event: EventToDefer<T>,
): Promise<Deferred> {
  return { deferredId: await insertDeferred(db, event) };
}

export type EmitDeferredDeps = { pool: Pool; announce: Announce; nowMs: () => number };

/**
 * Emits what was put aside, or the oldest of all; false: there is none, or somebody else is at it.
 * Two statements in a transaction.
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

/** What processes that died had put aside, and what could not be emitted when it was its time. */
const LOOK_MS = 1_000;

export function createDeferredEvents(deps: EmitDeferredDeps & { log: Logger }): Periodic {
  return createPeriodic({
    what: 'looking for events put aside',
    everyMs: LOOK_MS,
    log: deps.log,
    run: () => emitDeferred(deps),
  });
}
