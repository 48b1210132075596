import { uuidTimeMs } from '../../ids.ts';
import { explainableDeliveries, type ExplainableDelivery } from '../queue/explanations.sql.ts';
import type { EventRow } from '../../events/events.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { WebhookEndpointRow } from '../endpoints/webhook-endpoints.sql.ts';
import { requireEvent } from '../../events/read-events.ts';
import { isSubscribed } from '../../events/event-types.ts';
import { REPLAY_WINDOW_MS } from '../../events/retention.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';

/** Why an event did not arrive at an endpoint, or that it did. */
export const REASONS = [
  'delivered',
  'pending',
  'waiting_for_retry',
  'waiting_in_order',
  'in_flight',
  'endpoint_disabled',
  'endpoint_not_ready',
  'failed',
  'canceled',
  'erased',
  'test_event_of_another_endpoint',
  'not_subscribed',
  'created_before_endpoint',
  'made_while_disabled',
] as const;
export type Reason = (typeof REASONS)[number];

export type Explanation = {
  reason: Reason;
  /** A sentence that says what to do. */
  detail: string;
  deliveryId: string | null;
  /** Unix ms */
  nextAttemptAt: number | null;
};

/** @throws ApiError not_found: the event or the endpoint, of another namespace too */
export async function explainDelivery(
  deps: { pool: Pool; nowMs: () => number },
  input: { namespace: string; id: string; endpointId: string },
): Promise<Explanation> {
  const { namespace, id, endpointId } = input;
  const event = await requireEvent(deps, { namespace, id });
  const endpoint = await requireEndpoint(deps, { namespace, id: endpointId });
  const deliveries = await explainableDeliveries(deps.pool, { eventId: id, endpointId });
  return explain({ event, endpoint, deliveries, nowMs: deps.nowMs() });
}

export type Known = {
  event: Pick<EventRow, 'id' | 'type' | 'endpointId' | 'erasedAt'>;
  endpoint: Pick<
    WebhookEndpointRow,
    'id' | 'enabled' | 'ready' | 'message' | 'eventTypes' | 'createdAt'
  >;
  /** Newest first. */
  deliveries: readonly ExplainableDelivery[];
  nowMs: number;
};

/** What is under way says most, then what arrived, then the last one that did not. */
export function explain(known: Known): Explanation {
  const { deliveries } = known;
  const queued = deliveries.find(({ status }) => status === 'queued');
  if (queued) return whyQueued(known, queued);
  const delivered = deliveries.find(({ status }) => status === 'delivered');
  const last = delivered ?? deliveries[0];
  return last ? whyFinished(known, last) : whyNone(known);
}

function whyQueued(
  { endpoint, nowMs }: Known,
  { id, attempts, isLeased, isHeld, dueAt }: ExplainableDelivery,
): Explanation {
  const about = (reason: Reason, detail: string): Explanation => ({
    reason,
    detail,
    deliveryId: id,
    nextAttemptAt: dueAt,
  });
  if (isLeased) return about('in_flight', 'an attempt is under way: look again in a moment');
  if (!endpoint.enabled) {
    const detail =
      'the endpoint is disabled, so the delivery waits; enable it within 72 hours of the event';
    return about('endpoint_disabled', detail);
  }
  if (!endpoint.ready) {
    return about('endpoint_not_ready', `the endpoint is not in force: ${endpoint.message}`);
  }
  if (isHeld) {
    const detail = 'an earlier event of the conversation goes first and has not started yet';
    return about('waiting_in_order', detail);
  }
  if (attempts === 0) return about('pending', 'the first attempt starts in a moment');
  const isOverdue = dueAt !== null && dueAt < nowMs - 1_000;
  const detail = isOverdue
    ? `${attempts} failed; the next one is due: the endpoint fails, so its attempts go one at a time`
    : `${attempts} failed; see the delivery’s attempts for why, the next one comes by itself`;
  return about('waiting_for_retry', detail);
}

function whyFinished(known: Known, delivery: ExplainableDelivery): Explanation {
  const { id, status, attempts } = delivery;
  const about = (reason: Reason, detail: string): Explanation => ({
    reason,
    detail,
    deliveryId: id,
    nextAttemptAt: null,
  });
  if (status === 'delivered') return about('delivered', 'the endpoint acknowledged it');
  if (known.event.erasedAt !== null) return { ...erased(), deliveryId: id };
  if (status === 'canceled') {
    const detail = `its delivery was canceled: the endpoint was removed or the job stopped${again(known)}`;
    return about('canceled', detail);
  }
  return about(
    'failed',
    `none of ${attempts} attempts within 72 hours was acknowledged${again(known)}`,
  );
}

function whyNone(known: Known): Explanation {
  const { event, endpoint } = known;
  const about = (reason: Reason, detail: string): Explanation => ({
    reason,
    detail,
    deliveryId: null,
    nextAttemptAt: null,
  });
  if (event.endpointId !== null && event.endpointId !== endpoint.id) {
    const detail = 'it is a test event of another endpoint and goes to no other: send one to this';
    return about('test_event_of_another_endpoint', detail);
  }
  if (event.erasedAt !== null) return erased();
  if (!isSubscribed(endpoint.eventTypes, event.type)) {
    const detail = `the endpoint is not subscribed to ${event.type}: add it to event_types${again(known)}`;
    return about('not_subscribed', detail);
  }
  if (uuidTimeMs(event.id) < endpoint.createdAt) {
    return about(
      'created_before_endpoint',
      `it happened before the endpoint was there${again(known)}`,
    );
  }
  const detail = `it happened while the endpoint was disabled or not subscribed to it${again(known)}`;
  return about('made_while_disabled', detail);
}

function erased(): Explanation {
  const detail = 'the conversation it tells of was erased: it is sent no more';
  return { reason: 'erased', detail, deliveryId: null, nextAttemptAt: null };
}

/** What to do, as long as it can be done. */
function again({ event, endpoint, nowMs }: Known): string {
  if (nowMs - uuidTimeMs(event.id) > REPLAY_WINDOW_MS) return '; it is too old to be replayed';
  return endpoint.enabled
    ? '; replay it to this endpoint'
    : '; the endpoint is disabled: enable it, then replay the event to it';
}
