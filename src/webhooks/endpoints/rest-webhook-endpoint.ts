import { z } from 'zod';
import { toCamel, toSnake, toSnakePointer } from '../../platform/resources/schema/key-map.ts';
import type { SnakeCased } from '../../platform/resources/schema/key-map.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { patchShape, restShape, typed } from '../../platform/resources/schema/rest-schema.ts';
import { HEADERS_MAX, headerNameProblem } from '../../platform/resources/schema/field-types.ts';
import type { Headers } from './endpoint-headers.ts';
import { headerValue } from './header-rules.ts';
import { SUBSCRIPTIONS, webhookEndpointSpec } from './webhook-endpoint.ts';
import type { WebhookEndpointSpec } from './webhook-endpoint.ts';

/** Schemas of webhook endpoints in REST (contract/webhooks.md#fields). */

const written = webhookEndpointSpec.pick({
  url: true,
  eventTypes: true,
  description: true,
  metadata: true,
});

type Written = z.output<typeof written>;

/** Spec fields that a REST request can set. Secrets are stored elsewhere. */
export type WebhookEndpointDeclaration = Written & { suspend?: boolean };
export type WebhookEndpointFields = SnakeCased<Written> & { enabled?: boolean };
export type WebhookEndpointWrite = Omit<WebhookEndpointFields, 'event_types'> & {
  event_types?: WebhookEndpointFields['event_types'] | null;
  secret?: string;
  headers?: Headers;
};

export type HeaderPatch = Readonly<Record<string, string | null>> | null;
/** Patch to the declared fields and to the headers. The headers stay unchanged if `headers` is undefined. */
export type WebhookEndpointPatch = {
  declared: Record<string, unknown>;
  headers: HeaderPatch | undefined;
};

const headersOf = <T extends z.ZodType<string | null>>(value: T) =>
  z
    .record(z.string().min(1).max(128), value)
    .superRefine((given, context) => {
      const names = Object.keys(given);
      if (names.length > HEADERS_MAX) {
        context.addIssue({ code: 'custom', message: `may have at most ${HEADERS_MAX} entries` });
      }
      for (const name of names) {
        const message = headerNameProblem(name);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .meta({ maxProperties: HEADERS_MAX });
const headers = headersOf(headerValue).describe(
  'Extra headers for each delivery. The values are stored encrypted. Responses contain only the ' +
    'names.',
);

/** Signing secret: `whsec_` followed by 24 to 64 bytes in base64, as in Standard Webhooks. */
export const signingSecret = z
  .string()
  .max(6 + 88)
  .regex(
    ...saying(
      /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
      'must be whsec_ followed by the base64 of 24 to 64 bytes',
    ),
  )
  .refine((secret) => {
    const { length } = Buffer.from(secret.slice(6), 'base64');
    return length >= 24 && length <= 64;
  }, 'must be whsec_ followed by the base64 of 24 to 64 bytes')
  .describe(
    '`whsec_` followed by 24 to 64 bytes in base64. Generated if absent. Only the response to ' +
      'this request shows it.',
  );

/**
 * Event types to send. Unlike in a manifest, the list must not be empty. An empty list would subscribe to everything,
 * but is probably a mistake of a program that removed all types from the list.
 */
const eventTypes = z
  .array(z.enum(SUBSCRIPTIONS))
  .max(SUBSCRIPTIONS.length)
  .refine(
    (types) => types.length > 0,
    'must name at least one type or group; omit it or send null for all types',
  )
  .meta({ minItems: 1 })
  .nullable()
  .optional()
  .describe(
    'Event types to send, or groups such as agent.*. If absent or null, all types are sent.',
  );

const enabled = z.boolean().describe('If false, no deliveries are created. Default: true.');

/** Body of `POST /v1/webhooks`. */
export const WebhookEndpointWrite: z.ZodType<WebhookEndpointWrite> = typed(
  z
    .strictObject({
      ...restShape(written),
      event_types: eventTypes,
      headers: headers.optional(),
      enabled: enabled.optional(),
      secret: signingSecret.optional(),
    })
    .describe('An endpoint to create.'),
);

/**
 * Body of `PATCH /v1/webhooks/{id}`: an RFC 7386 merge patch. The secret can be changed only by rotation. The merged
 * result must be checked with `WebhookEndpointWrite`.
 */
export const WebhookEndpointPatch: z.ZodType<Record<string, unknown>> = z
  .strictObject({
    ...patchShape(written),
    event_types: eventTypes,
    headers: headersOf(headerValue.nullable())
      .nullable()
      .optional()
      .describe(
        'Headers to set. A header with the value null is removed. Null instead of an object ' +
          'removes all headers.',
      ),
    enabled: enabled.nullable().optional(),
  })
  .describe('Changes to an endpoint. Null removes a field.');

/** Splits a validated patch into declared fields and headers. */
export function splitPatch(patch: Record<string, unknown>): WebhookEndpointPatch {
  const { headers: given, ...declared } = patch;
  return { declared, headers: given as HeaderPatch | undefined };
}

/** Splits the body of a create request into the spec and the secrets, which must not be in the spec. */
export function toWebhookEndpointSpec(write: WebhookEndpointWrite): {
  spec: WebhookEndpointDeclaration;
  secret: string | undefined;
  headers: Headers | undefined;
} {
  const { enabled: isEnabled, secret, headers: given, event_types: types, ...fields } = write;
  const spec: Written = toCamel(written, { ...fields, ...(types && { event_types: types }) });
  const declared = isEnabled === undefined ? spec : { ...spec, suspend: !isEnabled };
  return { spec: declared, secret, headers: given };
}

/**
 * Converts a spec to REST fields. If the spec has no `eventTypes`, the result has no `event_types`, which means that
 * all events are sent.
 */
export function fromWebhookEndpointSpec(
  spec: Written & Partial<WebhookEndpointSpec>,
): WebhookEndpointFields {
  const rest: WebhookEndpointFields = toSnake(written, spec);
  return spec.suspend === undefined ? rest : { ...rest, enabled: !spec.suspend };
}

/** Converts a pointer into the resource to a pointer into the REST body: `/spec/suspend` → `/enabled`. */
export function webhookEndpointPointer(pointer: string): string {
  const inSpec = pointer.replace(/^\/spec/, '');
  return inSpec === '/suspend' ? '/enabled' : toSnakePointer(webhookEndpointSpec, inSpec);
}
