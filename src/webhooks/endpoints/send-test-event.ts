import { createBatcher } from '../../platform/controller/batcher.ts';
import { ApiError } from '../../errors.ts';
import { encodeEnvelope } from '../../events/envelope.ts';
import type { EventData, EventType } from '../../events/event-types.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import { activeTraceparent } from '../../platform/observability/trace-context.ts';
import { failpoint } from '../../failpoints.ts';
import { insertTestEvents, type NewTestEvent } from '../../events/outbox.sql.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import type { Announce } from '../../events/emit-event.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { requireEndpoint } from './write-endpoint.ts';

export type SentTest = { eventId: string; deliveryId: string };

type TestEvent<T extends EventType> = {
  namespace: string;
  endpointId: string;
  type: T;
  data: EventData<T>;
};

/**
 * Sends a real event of the given type to one endpoint only (contract/webhooks.md#test-events). Concurrent requests
 * share one statement and one commit: each batch contains all events that arrived while the previous batch ran. The
 * statement checks that the endpoint exists and is enabled. Further queries are needed only to explain a rejection. A
 * call with `beforeCommit` has its own transaction.
 */
export type SendTestEvent = <T extends EventType>(
  event: TestEvent<T>,
  beforeCommit?: CommitHook<SentTest>,
) => Promise<SentTest>;

/** Maximum number of events in a batch. If a batch fails, all its requests fail, so this limits their number. */
const TOGETHER_MAX = 128;

/**
 * Maximum size of the body in bytes, far above the size of real events. A delivery process holds up to 512 bodies in
 * memory (src/webhooks/delivery/budgets.ts), and a tenant with large events must not exhaust that memory.
 */
const BYTES_MAX = 64 * 1_024;

export type SendTestEventDeps = {
  pool: Pool;
  /** Connections for batches, with the settings `BATCH_SETTINGS`. */
  batchPool: Db;
  announce: Announce;
  nowMs: () => number;
};

export function createSendTestEvent(deps: SendTestEventDeps): SendTestEvent {
  const { pool, batchPool, announce, nowMs } = deps;
  const together = createBatcher<NewTestEvent, boolean>({
    run: async (events) => {
      await failpoint('outbox.committing');
      const queued = await insertTestEvents(batchPool, events);
      await failpoint('outbox.committed');
      return events.map(({ deliveryId }) => queued.has(deliveryId));
    },
    itemsMax: TOGETHER_MAX,
    gatherMs: 0,
    // From about 1,000 events a second on, each batch waits 2 ms for more events, about as long as a commit takes.
    busy: { from: 3, gatherMs: 2 },
  });

  async function explainRefusal(db: Db, { namespace, endpointId }: NewTestEvent): Promise<never> {
    await requireEndpoint({ pool: db }, { namespace, id: endpointId });
    throw new ApiError('endpoint_disabled', 'The endpoint is disabled. Enable it first.');
  }

  return async (asked, beforeCommit = noCommitHook) => {
    const event = newEvent(asked, nowMs());
    const sent = { eventId: event.id, deliveryId: event.deliveryId };
    if (beforeCommit === noCommitHook) {
      if (!(await together.add(event))) await explainRefusal(pool, event);
    } else {
      await inOneCommit(pool, beforeCommit, async (db) => {
        const queued = await insertTestEvents(db, [event]);
        if (!queued.has(event.deliveryId)) await explainRefusal(db, event);
        return sent;
      });
    }
    const { namespace, type, endpointId } = event;
    const marks = { isNotified: true, isTest: true };
    announce({ eventId: event.id, namespace, type, endpointIds: [endpointId], ...marks });
    return sent;
  };
}

/** @throws ApiError body_too_large */
function newEvent<T extends EventType>(
  { namespace, endpointId, type, data }: TestEvent<T>,
  nowMs: number,
): NewTestEvent {
  const id = newUuid(nowMs);
  const created = Math.floor(nowMs / 1_000);
  const body = encodeEnvelope({ id: fromUuid('evt', id), type, created, data });
  if (body.length > BYTES_MAX) {
    const detail = `The event would be ${body.length} bytes long, more than the maximum of ${BYTES_MAX}. Send less \`data\`.`;
    throw new ApiError('body_too_large', detail);
  }
  const deliveryId = newUuid(nowMs);
  // The trace context is read here, because another request may start the batch that commits this event.
  return { id, deliveryId, namespace, type, endpointId, body, traceparent: activeTraceparent() };
}
