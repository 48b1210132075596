import { z } from 'zod';
import { EVENT_TYPES } from './event-types.ts';
import { fromUuid, uuidTimeMs } from '../ids.ts';
import type { readEventWithCounts, requireDelivery } from './read-events.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../platform/http/time.ts';

/** Events and deliveries as REST answers them (contract §4, "Shapes read by programs"). */

type EventRow = Awaited<ReturnType<typeof readEventWithCounts>>;
type DeliveryRow = Awaited<ReturnType<typeof requireDelivery>>;

const count = z.int().min(0);

export const Event = z
  .strictObject({
    id: z.string().meta({ description: 'evt_…' }),
    type: z.enum(EVENT_TYPES),
    created: createdAt,
    data: z.record(z.string(), z.unknown()).meta({ description: 'By `type`; see webhooks.' }),
    deliveries: z
      .strictObject({ pending: count, delivered: count, failed: count, canceled: count })
      .meta({ description: 'How many deliveries are where; retrying counts as pending.' }),
  })
  .meta({ id: 'Event', description: 'A fact that happened, as it is sent, and where it got to.' });

/** The stored bytes are the truth; they are read, never made again. */
export function eventView(row: EventRow): z.output<typeof Event> {
  // We encoded it (events/envelope.ts).
  const envelope: Omit<z.output<typeof Event>, 'deliveries'> = JSON.parse(row.body.toString());
  return { ...envelope, deliveries: row.deliveries };
}

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'delivered',
  'failed',
  'canceled',
] as const;

const trigger = z.enum(['schedule', 'manual', 'replay', 'test']);

export const Delivery = z
  .strictObject({
    id: z.string().meta({ description: 'dlv_…' }),
    created: createdAt,
    event_id: z.string(),
    event_type: z.enum(EVENT_TYPES),
    endpoint_id: z.string(),
    trigger,
    status: z.enum(DELIVERY_STATUSES),
    attempt_count: count,
    next_attempt_at: unixTime.nullable(),
    delivered_at: unixTime.nullable(),
    attempts: z.array(
      z.strictObject({
        number: z.int().min(1),
        trigger,
        started_at: unixTime,
        duration_ms: count.nullable().meta({ description: 'null: not known, or under way.' }),
        status_code: z.int().nullable(),
        error_class: z
          .enum([
            'http_status',
            'redirect',
            'timeout',
            'dns',
            'connect',
            'tls',
            'blocked',
            'lost_lease',
          ])
          .nullable(),
        error_message: z.string().nullable(),
        response_body: z.string().nullable().meta({ description: 'Its first 4 KiB.' }),
      }),
    ),
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one endpoint.' });

export function deliveryView(row: DeliveryRow): Record<string, unknown> {
  return {
    id: fromUuid('dlv', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    event_id: fromUuid('evt', row.eventId),
    event_type: row.eventType,
    endpoint_id: fromUuid('we', row.endpointId),
    trigger: row.trigger,
    status: row.status,
    attempt_count: row.attemptCount,
    next_attempt_at: unixSecOrNull(row.nextAttemptAt),
    delivered_at: unixSecOrNull(row.deliveredAt),
    attempts: row.attempts.map((attempt) => ({
      number: attempt.number,
      trigger: attempt.trigger,
      started_at: unixSec(attempt.startedAt),
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      error_class: attempt.errorClass,
      error_message: attempt.errorMessage,
      response_body: attempt.responseBody,
    })),
  };
}
