import { z } from 'zod';
import { saying } from './patterns.ts';

/**
 * This module defines fields that several kinds share. Every string, list and map has a maximum size, because the API
 * server estimates the cost of CEL rules from the largest value that a schema allows. It rejects a CRD whose rules may
 * be too expensive. Patterns use only syntax that RE2 (in the API server) and JavaScript interpret in the same way.
 * They have no look-around, no flags, and no `\s` or `\w`, which mean Unicode in one of the two and ASCII in the other.
 */

/** A CEL rule. zod passes it to the JSON Schema through `.meta()`, like all keys that only Kubernetes knows. */
export type CelRule = { rule: string; message: string; fieldPath?: string };

/** Returns schema metadata with CEL rules. The API server and `validate.ts` evaluate the same rules. */
export function rules(...validations: CelRule[]): { 'x-kubernetes-validations': CelRule[] } {
  return { 'x-kubernetes-validations': validations };
}

/**
 * Returns schema metadata for a list whose items are identified by these fields, so that field managers can own
 * individual items.
 */
export function listMap(...keys: string[]): Record<string, unknown> {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
}

export const LIST_SET = { 'x-kubernetes-list-type': 'set' } as const;

/**
 * Schema metadata for an object that is always replaced as a whole. Declarations of two field managers are never
 * merged.
 */
export const ATOMIC_MAP = { 'x-kubernetes-map-type': 'atomic' } as const;

/** Maximum value of integers in the schemas. PostgreSQL stores them as `integer`. */
export const MAX_INT32 = 2_147_483_647;

/** Schema for a DNS label (RFC 1123), such as the name of a namespace, an agent, an endpoint or a source. */
export const dnsLabel = z
  .string()
  .min(1)
  .max(63)
  .regex(
    ...saying(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      'must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end',
    ),
  );

/** Schema for a phone number in E.164 format. A number that can be called from abroad has at least seven digits. */
export const phoneNumber = z
  .string()
  .min(8)
  .max(16)
  .regex(
    ...saying(
      /^\+[1-9][0-9]{6,14}$/,
      'must be a phone number such as +442071838750: a plus sign and 7 to 15 digits',
    ),
  );

/**
 * Schema for an absolute http or https URL in ASCII. A URL with a user name or password is rejected, because lists show
 * URLs in plain text. The schema does not restrict which addresses may be reached (contract/webhooks.md#addresses).
 */
export const httpUrl = z
  .string()
  .min(1)
  .max(2048)
  .regex(
    ...saying(
      /^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?([/?#][!-~]*)?$/,
      'must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password',
    ),
  );

/**
 * Schema for the base URL of an API, to which paths are appended. It is like `httpUrl`, but allows no query or
 * fragment.
 */
export const baseUrl = z
  .string()
  .min(1)
  .max(1024)
  .regex(
    ...saying(
      /^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?(\/[!"$->@-~]*)?$/,
      'must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment',
    ),
  );

function refName(of: string) {
  return z
    .string()
    .min(1)
    .max(253)
    .regex(
      ...saying(
        /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
        'must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends',
      ),
    )
    .describe(`Name of the ${of} in the same namespace.`);
}

/** Returns the schema for a reference to one key in a Secret or ConfigMap in the same namespace. */
function keyRef(of: string) {
  return z
    .strictObject({
      name: refName(of),
      key: z
        .string()
        .min(1)
        .max(253)
        .regex(
          ...saying(
            /^[-._a-zA-Z0-9]+$/,
            'must consist of letters, digits, dots, hyphens and underscores',
          ),
        )
        .describe(`Key in the ${of}.`),
    })
    .meta(ATOMIC_MAP);
}

/**
 * Reference to a Secret. The Secret is read only if it has the label `parley.dev/allow: "true"`
 * (contract/custom-resources.md#secrets).
 */
export const secretKeyRef = keyRef('Secret');

/**
 * References to Secrets for requests that Parley sends to other systems on behalf of a tenant. `bearerSecretRef` refers
 * to the bearer token in a request, and `signingSecretRef` to the secret with which Parley signs the request.
 */
export const bearerSecretRef = secretKeyRef.describe(
  'Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true".',
);
export const signingSecretRef = secretKeyRef.describe(
  'Secret with which requests are signed, in the same way as events. It must have the label ' +
    'parley.dev/allow: "true".',
);
export const configMapKeyRef = keyRef('ConfigMap');

/** Reference to a Secret as a whole. */
export const secretRef = z.strictObject({ name: refName('Secret') }).meta(ATOMIC_MAP);

const METADATA_KEYS: CelRule = {
  // `__proto__` is rejected, because JavaScript would lose a value that is assigned to this key.
  rule: "self.all(key, key.size() >= 1 && key.size() <= 128 && key != '__proto__')",
  message: 'a key must have 1 to 128 characters and must not be __proto__',
};

const metadataPairs = z.record(z.string().min(1).max(128), z.string().max(1024));

/** Schema for the metadata pairs of a filter. An item matches if it has all of these pairs. */
export const matchMetadata = metadataPairs
  .clone()
  .meta({
    maxProperties: 10,
    ...rules(METADATA_KEYS, {
      rule: 'self.size() > 0',
      message: 'a selector must have at least one pair',
    }),
  })
  .describe("Key-value pairs that a source's metadata must contain.");

/** Schema for the user's own metadata, which is stored unchanged. */
export const metadataMap = metadataPairs
  .clone()
  .meta({ maxProperties: 50, ...rules(METADATA_KEYS) })
  .describe(
    'Your own key-value pairs. Parley stores and returns them, but does not interpret them.',
  );

/** Header name (RFC 9110). */
const HEADER_NAME = /^[-!#$%&'*+.^_`|~0-9A-Za-z]{1,128}$/;

/** Names of headers that Parley or its HTTP client sets. Users may not set them, which prevents request smuggling. */
const RESERVED_HEADER = `^(${[
  'host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect',
  'content-length|content-type|content-encoding|user-agent|parley-.*|webhook-.*|__proto__',
]
  .join('|')
  // Makes the pattern case-insensitive without `(?i:…)`, because V8 sometimes ignored that modifier in a process that
  // had compiled a lot of code.
  .replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})$`;

export const HEADERS_MAX = 20;

const NAME_RULE = "a header name must consist of 1 to 128 letters, digits and -!#$%&'*+.^_`|~";
const RESERVED_RULE =
  'host, content-type, user-agent, parley-*, webhook-* and similar headers cannot be set, because Parley sets them itself';
const RESERVED = new RegExp(RESERVED_HEADER);

/**
 * Returns the reason why a header may not have this name, or undefined if it may. The CEL rules of `headerMap` are
 * equivalent.
 */
export function headerNameProblem(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return NAME_RULE;
  return RESERVED.test(name) ? RESERVED_RULE : undefined;
}

/**
 * Schema for additional request headers. Values are limited to visible ASCII, spaces and tabs, so that they cannot
 * contain a line break.
 */
export const headerMap = z
  .record(
    z.string(),
    z
      .string()
      .max(1024)
      .regex(
        ...saying(/^[\t -~]*$/, 'must be one line of visible ASCII characters, spaces and tabs'),
      ),
  )
  .meta({
    maxProperties: HEADERS_MAX,
    ...rules(
      { rule: `self.all(name, name.matches("${HEADER_NAME.source}"))`, message: NAME_RULE },
      {
        rule: `!self.exists(name, name.matches("${RESERVED_HEADER}"))`,
        message: RESERVED_RULE,
      },
    ),
  });

/** Lower-case names of headers that usually contain a key. */
const KEY_HEADER_NAMES = ['authorization', 'api-key', 'x-api-key', 'cookie'];

const KEY_HEADERS = KEY_HEADER_NAMES.join('|').replaceAll(
  /[a-z]/g,
  (letter) => `[${letter}${letter.toUpperCase()}]`,
);

export function isKeyHeader(name: string): boolean {
  return KEY_HEADER_NAMES.includes(name.toLowerCase());
}

/**
 * Returns a rule for the field `headers`. It rejects headers that contain a key, such as `Authorization`, because the
 * field is shown in plain text.
 */
export function noKeyInHeaders(message: string): CelRule {
  return {
    rule: `!has(self.headers) || !self.headers.exists(name, name.matches("^(${KEY_HEADERS})$"))`,
    message,
    fieldPath: '.headers',
  };
}

/** Formats Unix milliseconds in RFC 3339 without fractional seconds, as Kubernetes does. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Schema for a time in RFC 3339 format, as the API server writes it. */
export const time = z.string().max(40).meta({ format: 'date-time' });

/**
 * Schema for `status.observedGeneration`. The value is -1 until a controller has processed the object (kstatus,
 * `helm --wait`).
 */
export const observedGeneration = z
  .int()
  .min(-1)
  .default(-1)
  .describe(
    'Generation of the spec that this status describes. -1 if no controller has processed it yet.',
  );

/** Schema for the last handled value of the annotation `parley.dev/reconcile-requested-at`. */
export const lastHandledReconcileAt = z
  .string()
  .max(128)
  .describe('Last value of the parley.dev/reconcile-requested-at annotation that was processed.');

/** Schema for metav1.Condition, which is the type `Condition` in resource-store.ts. */
const condition = z.strictObject({
  type: z.string().min(1).max(316).describe('Type of the condition, such as Ready.'),
  status: z
    .enum(['True', 'False', 'Unknown'])
    .describe('True if the condition holds, False if it does not, or Unknown.'),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(...saying(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/, 'must be a CamelCase word'))
    .describe('Machine-readable reason, in CamelCase.'),
  message: z.string().max(32_768).describe('Human-readable message.'),
  lastTransitionTime: time.describe("Time at which the condition's status last changed."),
  observedGeneration: z
    .int()
    .min(0)
    .describe('Generation of the spec for which the condition was set.'),
});

export const conditions = z
  .array(condition)
  .max(16)
  .meta(listMap('type'))
  .describe('Conditions of the object, at most one for each type.');
