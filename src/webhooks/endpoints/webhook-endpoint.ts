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
 * The kind WebhookEndpoint (contract/custom-resources.md#spec). Its types, CRD and REST schemas are derived from this
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
    url: httpUrl.describe('Address the events are sent to, https.'),
    eventTypes: z
      // An enum instead of a pattern, so that `kubectl explain` and the error for a typo list all values.
      .array(z.enum(SUBSCRIPTIONS))
      .max(SUBSCRIPTIONS.length)
      .meta(LIST_SET)
      .describe('Events to send: types, or all of a group as in agent.*; absent or empty: all.')
      .exactOptional(),
    description: z.string().max(1024).describe('What the endpoint is for.').exactOptional(),
    headers: headerMap
      .describe('Extra headers of each delivery, in clear; what is secret goes into headersFrom.')
      .exactOptional(),
    headersFrom: z
      .strictObject({
        secretRef: secretRef.describe(
          'Secret whose keys are header names; it must carry the label parley.dev/allow: "true".',
        ),
      })
      .describe('Extra headers of each delivery from a Secret; they win over headers.')
      .exactOptional(),
    secretRef: secretKeyRef
      .describe('Signing secret; the Secret must carry the label parley.dev/allow: "true".')
      .exactOptional(),
    generateSecret: z
      .boolean()
      .describe('True: a signing secret is made; so it is when secretRef is absent.')
      .exactOptional(),
    suspend: z.boolean().default(false).describe('True: no deliveries are made.'),
    metadata: metadataMap.exactOptional(),
  })
  .meta(
    rules(
      {
        rule: '!has(self.secretRef) || !has(self.generateSecret) || !self.generateSecret',
        message: 'secretRef and generateSecret: true exclude each other',
      },
      {
        rule: 'has(self.secretRef) || !has(self.generateSecret) || self.generateSecret',
        message: 'generateSecret: false needs secretRef',
      },
    ),
  )
  .describe('Where events are to be sent.');

export const webhookEndpointStatus = z
  .strictObject({
    observedGeneration,
    endpointId: z.string().max(29).describe('Id in the REST API, we_…').exactOptional(),
    secretName: z
      .string()
      .max(253)
      .describe('Secret that holds the signing secret.')
      .exactOptional(),
    health: z
      .enum(['Healthy', 'Failing', 'Disabled', 'NotReady', 'Unknown'])
      .describe(
        'How the latest deliveries went; NotReady: it is not in force as declared; Unknown: nothing was sent yet.',
      )
      .exactOptional(),
    lastSuccessTime: time.describe('When a delivery was last acknowledged.').exactOptional(),
    lastFailureTime: time.describe('When an attempt last failed.').exactOptional(),
    failingSince: time
      .describe('Start of the failures since the last acknowledged delivery.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('What is known about the endpoint.');

/** Stored spec, with defaults applied. */
export type WebhookEndpointSpec = z.output<typeof webhookEndpointSpec>;
export type WebhookEndpointStatus = z.output<typeof webhookEndpointStatus>;

/** Key in the Secret that is created for an endpoint without `secretRef`. */
export const SIGNING_SECRET_KEY = 'secret';
