import { encodeEnvelope } from './envelope.ts';
import type { EventData, EventType } from './event-types.ts';
import { fromUuid, newUuid } from '../ids.ts';
import { activeTraceparent } from '../platform/observability/trace-context.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { insertEvent } from './outbox.sql.ts';
import { CHANNELS, type Notifier } from '../platform/postgres/notifications.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** Event to commit with a change. Ids are uuids. The fields of `data` are sent in the order in which they are given. */
export type EventToEmit<T extends EventType> = {
  namespace: string;
  type: T;
  data: EventData<T>;
  agentId?: string;
  conversationId?: string;
  sequence?: number;
};

export type Emitted = {
  eventId: string;
  namespace: string;
  conversationId?: string | undefined;
  type: EventType;
  endpointIds: string[];
  /** Set if the commit itself notifies listeners, so that `Announce` need not. */
  isNotified?: boolean;
  /** Set for a test event, which is sent to one endpoint and not counted in metrics. */
  isTest?: boolean;
};

/**
 * Adds an event to the outbox with one statement. Call it inside the transaction of the change, and pass its result to
 * `announce` after the commit.
 */
export async function emitEvent<T extends EventType>(
  db: Db,
  event: EventToEmit<T>,
  nowMs: number,
): Promise<Emitted> {
  const { data, ...columns } = event;
  const id = newUuid(nowMs);
  const body = encodeEnvelope({
    id: fromUuid('evt', id),
    type: event.type,
    created: Math.floor(nowMs / 1_000),
    data,
  });
  const endpointIds = await insertEvent(db, {
    ...columns,
    id,
    body,
    traceparent: activeTraceparent(),
  });
  const { namespace, type, conversationId } = event;
  return { eventId: id, namespace, type, conversationId, endpointIds };
}

export type Announce = (emitted: Emitted) => void;

/**
 * Creates the function to call after the commit. It counts the event and wakes deliveries and streams. It never waits
 * or throws.
 */
export function createAnnounce(deps: {
  notifier: Notifier;
  metrics: Pick<Metrics, 'events' | 'knowledgeGaps'>;
}): Announce {
  return ({ namespace, type, conversationId, endpointIds, isNotified, isTest }) => {
    if (!isTest) deps.metrics.events.inc({ type });
    // Gaps are counted here, because each new gap emits exactly one such event and must be counted only after the
    // commit.
    if (type === 'knowledge.gap.detected' && !isTest) deps.metrics.knowledgeGaps.inc();
    if (isNotified) return;
    deps.notifier.notify(CHANNELS.deliveries, endpointIds);
    deps.notifier.notify(CHANNELS.events, [namespace]);
    if (conversationId !== undefined) {
      deps.notifier.notify(CHANNELS.conversations, [conversationId]);
    }
  };
}
