import { encodeEnvelope } from './envelope.ts';
import type { EventData, EventType } from './event-types.ts';
import { fromUuid, newUuid } from '../ids.ts';
import { activeTraceparent } from '../platform/observability/trace-context.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { insertEvents } from './outbox.sql.ts';
import { CHANNELS, type Notifier } from '../platform/postgres/notifications.ts';
import type { Db } from '../platform/postgres/pool.ts';

/**
 * Event to commit together with the change that it reports. Ids are UUIDs. The fields of `data` are sent in the given
 * order.
 */
export type EventToEmit<T extends EventType> = {
  namespace: string;
  type: T;
  data: EventData<T>;
  agentId?: string;
  conversationId?: string;
  sequence?: number;
  /** Trace in which the event happened; default: the active trace. */
  traceparent?: string | undefined;
};

export type Emitted = {
  eventId: string;
  namespace: string;
  conversationId?: string | undefined;
  type: EventType;
  endpointIds: string[];
  /** True if the database notifies listeners as part of the commit, so that `Announce` does not have to. */
  isNotified?: boolean;
  /** True for a test event, which is sent to one endpoint and not counted in metrics. */
  isTest?: boolean;
};

/** Adds one event to the outbox (see `emitEvents`). */
export async function emitEvent<T extends EventType>(
  db: Db,
  event: EventToEmit<T>,
  nowMs: number,
): Promise<Emitted> {
  const [emitted] = await emitEvents(db, [event], nowMs);
  return emitted!; // `emitEvents` returns one result for each event.
}

/**
 * Adds events to the outbox with one statement. Call it inside the transaction of the change, and pass each
 * returned value to `announce` after the commit.
 */
export async function emitEvents<T extends EventType>(
  db: Db,
  events: readonly EventToEmit<T>[],
  nowMs: number,
): Promise<Emitted[]> {
  const created = Math.floor(nowMs / 1_000);
  const active = activeTraceparent();
  const added = events.map(({ data, traceparent = active, ...columns }) => {
    const id = newUuid(nowMs);
    const body = encodeEnvelope({ id: fromUuid('evt', id), type: columns.type, created, data });
    return { ...columns, id, body, traceparent };
  });
  const endpointIds = await insertEvents(db, added);
  return added.map(({ id: eventId, namespace, type, conversationId }, i) => ({
    eventId,
    namespace,
    type,
    conversationId,
    endpointIds: endpointIds[i] ?? [],
  }));
}

export type Announce = (emitted: Emitted) => void;

/**
 * Creates the function to call with an event after the commit. That function counts the event in the metrics, and wakes
 * the deliveries and event streams. It never waits or throws.
 */
export function createAnnounce(deps: {
  notifier: Notifier;
  metrics: Pick<Metrics, 'events' | 'knowledgeGaps'>;
}): Announce {
  return ({ namespace, type, conversationId, endpointIds, isNotified, isTest }) => {
    if (!isTest) deps.metrics.events.inc({ type });
    // Each new knowledge gap emits exactly one event of this type, so gaps are counted here, after the commit.
    if (type === 'knowledge.gap.detected' && !isTest) deps.metrics.knowledgeGaps.inc();
    if (isNotified) return;
    deps.notifier.notify(CHANNELS.deliveries, endpointIds);
    deps.notifier.notify(CHANNELS.events, [namespace]);
    if (conversationId !== undefined) {
      deps.notifier.notify(CHANNELS.conversations, [conversationId]);
    }
  };
}
