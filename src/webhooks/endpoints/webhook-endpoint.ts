import { z } from 'zod';
import { EVENT_TYPES } from '../../events/event-types.ts';
import {
  conditions,
  headerMap,
  httpUrl,
  lastHandledReconcileAt,
  LIST_SET,
  metadataMap,
  observedGeneration,
  rules,
  secretKeyRef,
  secretRef,
  time,
} from '../../platform/resources/schema/field-types.ts';

/**
 * The WebhookEndpoint kind (contract/custom-resources.md#spec). Its types, CRD and REST schemas are derived from this
 * schema.
 */

/** Allowed values of `eventTypes`: `*`, each event type, and `group.*` for each dot in a type. */
export const SUBSCRIPTIONS: readonly string[] = [
  '*',
  ...new Set(EVENT_TYPES.flatMap((type) => [...groupsOf(type), type])),
];

/** Returns the groups of a type: `conversation.transcript.ready` → `conversation.*`, `conversation.transcript.*`. */
function groupsOf(type: string): string[] {
  const parts = type.split('.');
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`);
}

export const webhookEndpointSpec = z
  .strictObject({
    url: httpUrl.describe('HTTPS URL that receives the events.'),
    eventTypes: z
      // Uses an enum instead of a pattern, so that `kubectl explain` and the error message for a typo list all values.
      .array(z.enum(SUBSCRIPTIONS))
      .max(SUBSCRIPTIONS.length)
      .meta(LIST_SET)
      .describe(
        'Event types to send, or groups such as agent.*. If absent or empty, all types are sent.',
      )
      .exactOptional(),
    description: z.string().max(1024).describe('Purpose of the endpoint.').exactOptional(),
    headers: headerMap
      .describe('Extra headers for each delivery, in clear text. Put secrets into headersFrom.')
      .exactOptional(),
    headersFrom: z
      .strictObject({
        secretRef: secretRef.describe(
          'Secret whose keys are header names. It must have the label parley.dev/allow: "true".',
        ),
      })
      .describe(
        'Extra headers for each delivery, from a Secret. They take precedence over headers.',
      )
      .exactOptional(),
    secretRef: secretKeyRef
      .describe('Signing secret. The Secret must have the label parley.dev/allow: "true".')
      .exactOptional(),
    generateSecret: z
      .boolean()
      .describe('If true, a signing secret is generated. This is the default without secretRef.')
      .exactOptional(),
    suspend: z.boolean().default(false).describe('If true, no deliveries are created.'),
    metadata: metadataMap.exactOptional(),
  })
  .meta(
    rules(
      {
        rule: '!has(self.secretRef) || !has(self.generateSecret) || !self.generateSecret',
        message: '`secretRef` cannot be combined with `generateSecret: true`',
      },
      {
        rule: 'has(self.secretRef) || !has(self.generateSecret) || self.generateSecret',
        message: '`generateSecret: false` requires `secretRef`',
      },
    ),
  )
  .describe('Desired state: where events are sent.');

export const webhookEndpointStatus = z
  .strictObject({
    observedGeneration,
    endpointId: z.string().max(29).describe('ID in the REST API, we_….').exactOptional(),
    secretName: z
      .string()
      .max(253)
      .describe('Secret that contains the signing secret.')
      .exactOptional(),
    health: z
      .enum(['Healthy', 'Failing', 'Disabled', 'NotReady', 'Unknown'])
      .describe(
        'Health, based on the latest deliveries. NotReady: the latest declaration is not in ' +
          'effect. Unknown: nothing has been sent yet.',
      )
      .exactOptional(),
    lastSuccessTime: time.describe('Time of the last acknowledged delivery.').exactOptional(),
    lastFailureTime: time.describe('Time of the last failed attempt.').exactOptional(),
    failingSince: time
      .describe('Time of the first failure since the last acknowledged delivery.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('Observed state of the endpoint.');

/** A declared spec with defaults applied. */
export type WebhookEndpointSpec = z.output<typeof webhookEndpointSpec>;
export type WebhookEndpointStatus = z.output<typeof webhookEndpointStatus>;

/** Key of the signing secret in the Secret that is created for an endpoint without `secretRef`. */
export const SIGNING_SECRET_KEY = 'secret';
