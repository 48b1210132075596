import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { EVENT_DATA, EVENT_TYPES, type EventType } from '../../events/event-types.ts';
import { EVENT_SAMPLES } from '../../events/samples.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

function describeEvent(type: EventType): RouteConfig {
  const name = type.replaceAll(/(^|[._])([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const envelope = z
    .strictObject({
      id: z
        .string()
        .meta({ description: 'ID of the event, `evt_…`. Use it to detect repeated deliveries.' }),
      type: z.literal(type),
      created: z.int().meta({ description: 'Time of the event in Unix seconds.' }),
      data: EVENT_DATA[type],
    })
    .meta({ id: `${name}Event`, example: exampleOf(type) });
  return {
    method: 'post',
    path: type,
    operationId: `on${name}`,
    summary: type,
    tags: ['Webhooks'],
    security: [], // Requests carry no credentials: the receiver authenticates Parley by the signature.
    description:
      'Parley sends the event at least once to each enabled endpoint in the namespace that subscribes to this type.',
    request: {
      headers: DELIVERY_HEADERS,
      body: { content: { 'application/json': { schema: envelope } } },
    },
    responses: {
      '2XX': {
        description:
          'Acknowledges the event. After any other response, Parley retries it for up to 72 hours.',
      },
    },
  };
}

const signature = z
  .string()
  .regex(...saying(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'));

/** Headers that attempt.ts sends (contract/deliveries.md#headers). */
const DELIVERY_HEADERS = z.object({
  'parley-signature': signature.meta({
    description: "Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret.",
  }),
  'parley-signature-next': signature.optional().meta({
    description:
      'Signature with the second valid secret. Present only while the secret is being rotated.',
  }),
  'parley-event-id': z.string().meta({ description: '`id` of the body.' }),
  'parley-event-type': z.string().meta({ description: '`type` of the body.' }),
  'parley-delivery-attempt': z
    .int()
    .min(1)
    .meta({ description: 'Number of the attempt. The first is 1.' }),
  'parley-test': z.literal('true').optional().meta({
    description: 'Present only for test events, each of which is sent to a single endpoint.',
  }),
  'webhook-id': z.string().meta({ description: '`id` of the body (Standard Webhooks).' }),
  'webhook-timestamp': z.int().meta({ description: 'Time of the attempt in Unix seconds.' }),
  'webhook-signature': z.string().meta({
    description:
      'One signature for each valid secret, separated by spaces. Each is `v1,` followed by ' +
      'base64 (Standard Webhooks).',
  }),
});

function exampleOf(type: EventType): object {
  const data = EVENT_SAMPLES[type];
  return { id: 'evt_06dmv3x7v8r9s0t1w2x3y4z5a6', type, created: 1_763_640_000, data };
}

/** Webhook requests of all event types, as they appear in the OpenAPI document. */
export const EVENT_WEBHOOKS: readonly RouteConfig[] = EVENT_TYPES.map(describeEvent);
