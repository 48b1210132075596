import { z } from 'zod';
import { saying } from './patterns.ts';

/**
 * Fields that more than one kind has. Every string, list and map carries a bound: the API server
 * prices CEL rules by the largest value a schema allows, and refuses a CRD that could be dear.
 *
 * Patterns keep to what RE2 (the API server) and JavaScript read alike: no look-around, no `\s`
 * or `\w` (Unicode in one, ASCII in the other), no flags.
 */

/** Keys of JSON Schema that only Kubernetes knows, carried in zod's `.meta()`. */
export type CelRule = { rule: string; message: string; fieldPath?: string };

/** CEL rules of the schema they are attached to; the API server and `validate.ts` run the same. */
export function rules(...validations: CelRule[]): { 'x-kubernetes-validations': CelRule[] } {
  return { 'x-kubernetes-validations': validations };
}

/** A list whose items are identified by these fields: appliers may own single items. */
export function listMap(...keys: string[]): Record<string, unknown> {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
}

/** A list without duplicates. */
export const LIST_SET = { 'x-kubernetes-list-type': 'set' } as const;

/** An object that is replaced whole, never merged by two appliers. */
export const ATOMIC_MAP = { 'x-kubernetes-map-type': 'atomic' } as const;

/** The largest number the schemas allow for counters: what PostgreSQL's `integer` holds. */
export const MAX_INT32 = 2_147_483_647;

/** RFC 1123 label: the name of a namespace, an agent, an endpoint, a source. */
export const dnsLabel = z
  .string()
  .min(1)
  .max(63)
  .regex(
    ...saying(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      'must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end',
    ),
  );

/** E.164. A number that can be called from elsewhere has at least seven digits. */
export const phoneNumber = z
  .string()
  .min(8)
  .max(16)
  .regex(
    ...saying(
      /^\+[1-9][0-9]{6,14}$/,
      'must be a phone number as +442071838750: a plus sign and 7 to 15 digits',
    ),
  );

/**
 * An absolute http or https URL in ASCII. Without user and password: a URL is shown in lists, and
 * a secret is never inlined. Which addresses may be called is not the schema's part (contract/webhooks.md#addresses).
 */
export const httpUrl = z
  .string()
  .min(1)
  .max(2048)
  .regex(
    ...saying(
      /^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?([/?#][!-~]*)?$/,
      'must be an http or https URL in ASCII, such as https://example.com/hook, without user and password',
    ),
  );

/** The base of somebody's API, to which paths are appended: as `httpUrl`, but with a path alone. */
export const baseUrl = z
  .string()
  .min(1)
  .max(1024)
  .regex(
    ...saying(
      /^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?(\/[!"$->@-~]*)?$/,
      'must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment',
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
        'must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends',
      ),
    )
    .describe(`Name of the ${of}, in the same namespace.`);
}

/** One key of a Secret or ConfigMap in the same namespace. */
function keyRef(of: string) {
  return z
    .strictObject({
      name: refName(of),
      key: z
        .string()
        .min(1)
        .max(253)
        .regex(
          ...saying(/^[-._a-zA-Z0-9]+$/, 'must be letters, digits, dots, hyphens and underscores'),
        )
        .describe(`Key inside the ${of}.`),
    })
    .meta(ATOMIC_MAP);
}

/** A Secret is read only if it carries the label `parley.dev/allow: "true"` (contract/custom-resources.md#secrets). */
export const secretKeyRef = keyRef('Secret');

/** Of what asks another system in a tenant's name: who we are, and that it was us. */
export const bearerSecretRef = secretKeyRef.describe(
  'Secret sent as bearer token; it must carry the label parley.dev/allow: "true".',
);
export const signingSecretRef = secretKeyRef.describe(
  'Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true".',
);
export const configMapKeyRef = keyRef('ConfigMap');

/** All keys of a Secret. */
export const secretRef = z.strictObject({ name: refName('Secret') }).meta(ATOMIC_MAP);

const METADATA_KEYS: CelRule = {
  // `__proto__` is refused wherever a schema can: a plain assignment to it loses the value.
  rule: "self.all(key, key.size() >= 1 && key.size() <= 128 && key != '__proto__')",
  message: 'a key must have 1 to 128 characters and may not be __proto__',
};

const metadataPairs = z.record(z.string().min(1).max(128), z.string().max(1024));

/** Pairs of somebody's metadata, all of which must be equal. */
export const matchMetadata = metadataPairs
  .clone()
  .meta({
    maxProperties: 10,
    ...rules(METADATA_KEYS, {
      rule: 'self.size() > 0',
      message: 'a selector needs at least one pair to match',
    }),
  })
  .describe('Pairs that its metadata must all have, with these values.');

/** Free labels of the user; kept as they are. */
export const metadataMap = metadataPairs
  .clone()
  .meta({ maxProperties: 50, ...rules(METADATA_KEYS) })
  .describe('Free key-value pairs of yours; kept and shown, never read.');

/** RFC 9110 field name. */
const HEADER_NAME = /^[-!#$%&'*+.^_`|~0-9A-Za-z]{1,128}$/;

/** Headers that the connection or Parley sets: whoever could change them could split requests. */
const RESERVED_HEADER = `^(${[
  'host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect',
  'content-length|content-type|content-encoding|user-agent|parley-.*|webhook-.*|__proto__',
]
  .join('|')
  // Not (?i:…), which V8 has been seen to forget in a process that has compiled much.
  .replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})$`;

/** How many extra headers one place may declare. */
export const HEADERS_MAX = 20;

const NAME_RULE = "a header name is 1 to 128 letters, digits and -!#$%&'*+.^_`|~";
const RESERVED_RULE =
  'host, content-type, user-agent, parley-*, webhook-* and the like are set by Parley';
const RESERVED = new RegExp(RESERVED_HEADER);

/** Why no extra header may have this name; the CEL rules of `headerMap` say the same. */
export function headerNameProblem(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return NAME_RULE;
  return RESERVED.test(name) ? RESERVED_RULE : undefined;
}

/** Extra request headers. A value is visible ASCII, so that it cannot end its line. */
export const headerMap = z
  .record(
    z.string(),
    z
      .string()
      .max(1024)
      .regex(...saying(/^[\t -~]*$/, 'must be visible ASCII, spaces and tabs, in one line')),
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

/** Headers that carry a key, in lower case. */
const KEY_HEADER_NAMES = ['authorization', 'api-key', 'x-api-key', 'cookie'];

const KEY_HEADERS = KEY_HEADER_NAMES.join('|').replaceAll(
  /[a-z]/g,
  (letter) => `[${letter}${letter.toUpperCase()}]`,
);

/** Returns whether a header of this name carries a key. */
export function isKeyHeader(name: string): boolean {
  return KEY_HEADER_NAMES.includes(name.toLowerCase());
}

/** Of an object with `headers`, which are shown in clear. */
export function noKeyInHeaders(message: string): CelRule {
  return {
    rule: `!has(self.headers) || !self.headers.exists(name, name.matches("^(${KEY_HEADERS})$"))`,
    message,
    fieldPath: '.headers',
  };
}

/** RFC 3339 without fractions, as Kubernetes writes times. `ms` is Unix milliseconds. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** RFC 3339, as the API server writes it. */
export const time = z.string().max(40).meta({ format: 'date-time' });

/** `status.observedGeneration`: -1 until a controller sees the object (kstatus, Helm --wait). */
export const observedGeneration = z
  .int()
  .min(-1)
  .default(-1)
  .describe('The generation this status tells of; -1: not seen by a controller yet.');

/** Repeats the annotation `parley.dev/reconcile-requested-at` once it has been honoured. */
export const lastHandledReconcileAt = z
  .string()
  .max(128)
  .describe('Value of the annotation parley.dev/reconcile-requested-at last honoured.');

/** metav1.Condition; the type `Condition` of resource-store.ts in schema form. */
const condition = z.strictObject({
  type: z.string().min(1).max(316).describe('What the condition is about, such as Ready.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(...saying(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/, 'must be a CamelCase word'))
    .describe('A CamelCase word for programs.'),
  message: z.string().max(32_768).describe('A sentence for people.'),
  lastTransitionTime: time.describe('When the status last changed.'),
  observedGeneration: z.int().min(0).describe('The generation the condition was set for.'),
});

export const conditions = z
  .array(condition)
  .max(16)
  .meta(listMap('type'))
  .describe('What is known about the object, one entry for each type.');
