import { z } from 'zod';
import { toCamel, toSnake, toSnakePointer } from '../../platform/resources/schema/key-map.ts';
import type { SnakeCased } from '../../platform/resources/schema/key-map.ts';
import { patchShape, restShape, typed } from '../../platform/resources/schema/rest-schema.ts';
import { webhookEndpointSpec } from './webhook-endpoint.ts';
import type { WebhookEndpointSpec } from './webhook-endpoint.ts';

/** Webhook endpoints as REST writes and shows them (contract §4). */

const written = webhookEndpointSpec.pick({
  url: true,
  eventTypes: true,
  description: true,
  headers: true,
  metadata: true,
});

type Written = z.output<typeof written>;

/** The spec fields that REST declares; `secretRef` is for manifests. */
export type WebhookEndpointDeclaration = Written & { suspend?: boolean };
export type WebhookEndpointFields = SnakeCased<Written> & { enabled?: boolean };
export type WebhookEndpointWrite = WebhookEndpointFields & { secret?: string };

/** `whsec_` and the base64 of 24 to 64 bytes, as in Standard Webhooks. */
export const signingSecret = z
  .string()
  .max(6 + 88)
  .regex(/^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
  .refine((secret) => {
    const { length } = Buffer.from(secret.slice(6), 'base64');
    return length >= 24 && length <= 64;
  }, 'must be whsec_ and the base64 of 24 to 64 bytes')
  .describe('whsec_ and the base64 of 24 to 64 bytes; made when absent. Shown once.');

const enabled = z.boolean().describe('False: no deliveries are made. Default true.');

/** Body of `POST /v1/webhooks`. */
export const WebhookEndpointWrite: z.ZodType<WebhookEndpointWrite> = typed(
  z
    .strictObject({
      ...restShape(written),
      enabled: enabled.optional(),
      secret: signingSecret.optional(),
    })
    .describe('An endpoint to create.'),
);

/**
 * Body of `PATCH /v1/webhooks/{id}`: an RFC 7386 merge patch. The secret changes by rotation only.
 * The merged result must be checked with `WebhookEndpointWrite`.
 */
export const WebhookEndpointPatch: z.ZodType<Record<string, unknown>> = z
  .strictObject({ ...patchShape(written), enabled: enabled.nullable().optional() })
  .describe('Changes of an endpoint; null removes a field.');

/** Splits a create body into the spec and the secret, which is no part of the spec. */
export function toWebhookEndpointSpec(write: WebhookEndpointWrite): {
  spec: WebhookEndpointDeclaration;
  secret: string | undefined;
} {
  const { enabled: isEnabled, secret, ...fields } = write;
  const spec: Written = toCamel(written, fields);
  return { spec: isEnabled === undefined ? spec : { ...spec, suspend: !isEnabled }, secret };
}

/** The write fields of a spec. `event_types` absent, as in the spec: all events. */
export function fromWebhookEndpointSpec(
  spec: Written & Partial<WebhookEndpointSpec>,
): WebhookEndpointFields {
  const rest: WebhookEndpointFields = toSnake(written, spec);
  return spec.suspend === undefined ? rest : { ...rest, enabled: !spec.suspend };
}

/** Place in the resource → place in the REST body: `/spec/suspend` → `/enabled`. */
export function webhookEndpointPointer(pointer: string): string {
  const inSpec = pointer.replace(/^\/spec/, '');
  return inSpec === '/suspend' ? '/enabled' : toSnakePointer(webhookEndpointSpec, inSpec);
}
