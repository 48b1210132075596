import { z } from 'zod';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import { DELIVERY_STATUSES, type DeliveryRow } from '../queue/deliveries.sql.ts';
import { TRIGGERS } from '../queue/dispatch-queue.ts';

/** REST representation of deliveries (contract/deliveries.md#reading). */

const count = z.int().min(0);

const trigger = z.enum(TRIGGERS);

export const Delivery = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the delivery, `dlv_…`.' }),
    created: createdAt,
    event_id: z.string(),
    event_type: z.enum(EVENT_TYPES),
    endpoint_id: z.string(),
    trigger,
    test: z.boolean().meta({ description: 'Whether the event is a test event.' }),
    status: z.enum(DELIVERY_STATUSES),
    attempt_count: count.meta({ description: 'Number of entries in `attempts`.' }),
    in_flight_since: unixTime.nullable().meta({
      description:
        'Start of the attempt in progress, in Unix seconds. `attempts` does not include that attempt ' +
        'yet. Null if no attempt is in progress.',
    }),
    next_attempt_at: unixTime.nullable(),
    delivered_at: unixTime.nullable(),
    delivered_by: z.string().nullable().meta({
      description:
        'ID of the replay (`dlv_…`) whose acknowledgement also ended this delivery. Null if no replay ended it.',
    }),
    attempts: z.array(
      z.strictObject({
        number: z.int().min(1),
        trigger,
        started_at: unixTime,
        duration_ms: count.nullable().meta({
          description:
            'Duration of the attempt in milliseconds. Null if the result of the attempt was lost.',
        }),
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
        response_body: z
          .string()
          .nullable()
          .meta({ description: 'First 4 KiB of the response body.' }),
      }),
    ),
  })
  .meta({ id: 'Delivery', description: 'Delivery of an event to an endpoint, with its attempts.' });

export function deliveryView(row: DeliveryRow): Record<string, unknown> {
  return {
    id: fromUuid('dlv', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    event_id: fromUuid('evt', row.eventId),
    event_type: row.eventType,
    endpoint_id: fromUuid('we', row.endpointId),
    trigger: row.trigger,
    test: row.isTest,
    status: row.status,
    attempt_count: row.attemptCount,
    in_flight_since: unixSecOrNull(row.inFlightSince),
    next_attempt_at: unixSecOrNull(row.nextAttemptAt),
    delivered_at: unixSecOrNull(row.deliveredAt),
    delivered_by: row.deliveredBy === null ? null : fromUuid('dlv', row.deliveredBy),
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
