import { found } from '../../errors.ts';
import { uuidTimeMs } from '../../ids.ts';
import { explainableDeliveries, type ExplainableDelivery } from '../queue/deliveries.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { WebhookEndpointRow } from '../endpoints/webhook-endpoints.sql.ts';
import { isSubscribed } from '../../events/event-types.ts';
import { readEvent, type EventRow } from '../../events/events.sql.ts';
import { replayWindowMs, type ReplayWindow } from '../../events/replay-window.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';

/** Reasons why an event did or did not arrive at an endpoint. */
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
  /** Human-readable explanation, with advice on what to do. */
  detail: string;
  deliveryId: string | null;
  /** Time of the next attempt in Unix milliseconds; null if no attempt is scheduled. */
  nextAttemptAt: number | null;
};

/** @throws ApiError not_found if the event or the endpoint does not exist or belongs to another namespace */
export async function explainDelivery(
  deps: ReplayWindow & { pool: Pool; nowMs: () => number },
  input: { namespace: string; id: string; endpointId: string },
): Promise<Explanation> {
  const { namespace, id, endpointId } = input;
  const event = found(await readEvent(deps.pool, { namespace, id }), 'event');
  const endpoint = await requireEndpoint(deps, { namespace, id: endpointId });
  const deliveries = await explainableDeliveries(deps.pool, { eventId: id, endpointId });
  return explain({
    event,
    endpoint,
    deliveries,
    nowMs: deps.nowMs(),
    windowMs: replayWindowMs(deps),
  });
}

export type Facts = {
  event: Pick<EventRow, 'id' | 'type' | 'endpointId' | 'erasedAt'>;
  endpoint: Pick<
    WebhookEndpointRow,
    'id' | 'enabled' | 'ready' | 'message' | 'eventTypes' | 'createdAt'
  >;
  /** Deliveries of the event to the endpoint, newest first. */
  deliveries: readonly ExplainableDelivery[];
  nowMs: number;
  /** Time in ms for which an event can be replayed after it happened. */
  windowMs: number;
};

type Why = [reason: Reason, detail: string];

/**
 * Explains the outcome for the endpoint based on one delivery: a queued delivery if there is one, otherwise a
 * successful one, otherwise the newest.
 */
export function explain(facts: Facts): Explanation {
  const { deliveries } = facts;
  const delivery =
    deliveries.find(({ status }) => status === 'queued') ??
    deliveries.find(({ status }) => status === 'delivered') ??
    deliveries[0];
  const [reason, detail] = delivery ? whyNotYet(facts, delivery) : whyNone(facts);
  return {
    reason,
    detail,
    deliveryId: delivery?.id ?? null,
    nextAttemptAt: delivery?.dueAt ?? null,
  };
}

function whyNotYet(facts: Facts, delivery: ExplainableDelivery): Why {
  switch (delivery.status) {
    case 'queued':
      return whyQueued(facts, delivery);
    case 'delivered':
      return ['delivered', 'The endpoint acknowledged the event.'];
    case 'canceled':
    case 'failed':
      return whyFailed(facts, delivery);
    default:
      return delivery.status satisfies never;
  }
}

function whyQueued(
  { endpoint, nowMs }: Facts,
  { attempts, isLeased, isOutOfTurn, dueAt }: ExplainableDelivery,
): Why {
  if (isLeased) return ['in_flight', 'An attempt is in progress. Check again in a moment.'];
  if (!endpoint.enabled) {
    const detail =
      'The endpoint is disabled, so the delivery waits. Enable the endpoint within 72 hours of the event.';
    return ['endpoint_disabled', detail];
  }
  if (!endpoint.ready) {
    return ['endpoint_not_ready', `The endpoint is not ready: ${endpoint.message}`];
  }
  if (isOutOfTurn) {
    const detail = 'An earlier event in the same conversation must be sent first.';
    return ['waiting_in_order', detail];
  }
  const isOverdue = dueAt !== null && dueAt < nowMs - 1_000;
  if (attempts === 0) {
    const detail = isOverdue
      ? `The first attempt is due. ${PACED}`
      : 'The first attempt starts in a moment.';
    return ['pending', detail];
  }
  const detail = isOverdue
    ? `Failed attempts: ${attempts}. The next attempt is due. ${PACED}`
    : `Failed attempts: ${attempts}. Their errors are in the delivery’s \`attempts\`. The next attempt is scheduled.`;
  return ['waiting_for_retry', detail];
}

/** Sentence that is added if the circuit breaker (slots.ts) may be delaying an attempt. */
const PACED =
  'If the endpoint is failing, it gets one attempt at a time, with pauses of up to 30 seconds.';

function whyFailed(facts: Facts, { status, attempts }: ExplainableDelivery): Why {
  if (facts.event.erasedAt !== null) return ERASED;
  return status === 'canceled'
    ? [
        status,
        `The delivery was canceled because the endpoint was removed or the job was stopped.${again(facts)}`,
      ]
    : [
        'failed',
        `No attempt within 72 hours was acknowledged. Attempts made: ${attempts}.${again(facts)}`,
      ];
}

function whyNone(facts: Facts): Why {
  const { event, endpoint } = facts;
  if (event.endpointId !== null && event.endpointId !== endpoint.id) {
    const detail =
      'The event is a test event for another endpoint. Send a test event to this endpoint.';
    return ['test_event_of_another_endpoint', detail];
  }
  if (event.erasedAt !== null) return ERASED;
  if (!isSubscribed(endpoint.eventTypes, event.type)) {
    const detail = `The endpoint is not subscribed to ${event.type}. Add it to \`event_types\`.${again(facts)}`;
    return ['not_subscribed', detail];
  }
  if (uuidTimeMs(event.id) < endpoint.createdAt) {
    const detail = `The event happened before the endpoint was created.${again(facts)}`;
    return ['created_before_endpoint', detail];
  }
  const detail = `The event happened while the endpoint was disabled or not subscribed to its type.${again(facts)}`;
  return ['made_while_disabled', detail];
}

const ERASED: Why = [
  'erased',
  'The conversation that the event belongs to was erased, so the event is no longer sent.',
];

/** Returns advice on how to send the event again, or says that the event is too old for a replay. */
function again({ event, endpoint, nowMs, windowMs }: Facts): string {
  if (nowMs - uuidTimeMs(event.id) > windowMs) return ' The event is too old to be replayed.';
  return endpoint.enabled
    ? ' Replay the event to this endpoint.'
    : ' The endpoint is disabled. Enable it, then replay the event to it.';
}
