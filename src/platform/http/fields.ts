import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { fromUuid, toUuid, type IdPrefix } from '../../ids.ts';
import { MAX_INT32 } from '../resources/schema/field-types.ts';
import { saying } from '../resources/schema/patterns.ts';
import { checkFreeValue } from '../resources/schema/free-value.ts';

/** Request and response fields that several resources share, such as ids, times, filters and free-form members. */

const EXAMPLE_UUID = '01936a0e-7d5b-7000-8000-3a5c1f2b4d6e';

/**
 * Returns a schema that converts an id in a path to its UUID. An invalid id results in a 404 with the same message as
 * an id that does not exist (contract/errors.md#statuses).
 */
export function idParam(prefix: IdPrefix, noun: string) {
  return uuidOf(prefix, `There is no such ${noun}.`).meta({
    ...idMeta(prefix),
    description: `ID of the ${noun}.`,
  });
}

/** Returns a schema that converts an id in a query or body to its UUID. */
export function idValue(prefix: IdPrefix) {
  const meta = idMeta(prefix);
  return uuidOf(prefix, `must be an ID like ${meta.example}`).meta(meta);
}

function uuidOf(prefix: IdPrefix, message: string) {
  return z.string().transform((id, context) => {
    const uuid = toUuid(prefix, id);
    if (uuid !== null) return uuid;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** Returns the id's example and pattern for the OpenAPI document. Validation itself uses `toUuid`. */
function idMeta(prefix: IdPrefix): { example: string; pattern: string } {
  const example = fromUuid(prefix, EXAMPLE_UUID);
  const pattern = new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);
  saying(pattern, `must be an ID like ${example}`);
  return { example, pattern: pattern.source };
}

export const versionParam = z
  .string()
  .transform((text, context) => {
    const version = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : Infinity;
    if (version <= MAX_INT32) return version;
    context.addIssue({ code: 'custom', message: 'The agent has no such version.' });
    return z.NEVER;
  })
  .meta({ description: 'Version number.', type: 'integer', minimum: 1, example: 2 });

/** Filter by version number. If no version has this number, nothing matches. */
export const versionFilter = z
  .string()
  .regex(...saying(/^[1-9][0-9]{0,9}$/, 'must be a version number, starting from 1'))
  .transform(Number)
  .refine((number) => number <= MAX_INT32, `must be at most ${MAX_INT32}`)
  .optional()
  .meta({ type: 'integer', minimum: 1, maximum: MAX_INT32 });

/** Converts a time from a row (Unix milliseconds) to its JSON form (integer Unix seconds, contract/names.md#json). */
export function unixSec(ms: number): number {
  return Math.floor(ms / 1_000);
}

export function unixSecOrNull(ms: number | null): number | null {
  return ms === null ? null : unixSec(ms);
}

export const unixTime = z.int().meta({ description: 'Unix seconds.' });
export const createdAt = z.int().meta({ description: 'Creation time in Unix seconds.' });
export const updatedAt = z.int().meta({ description: 'Time of the last change in Unix seconds.' });

/** Last second of the year 9999, which still fits into a UUIDv7. */
const LAST_SEC = 253_402_300_799;

/** Time in a request body, in Unix seconds. */
export const givenTime = z.int().min(0).max(LAST_SEC);

/** Returns a query field for a lower or upper time bound of a list, in Unix seconds. */
export function timeBound(description: string) {
  return z
    .string()
    .regex(...saying(/^[0-9]{1,12}$/, 'must be a whole number of Unix seconds'))
    .transform(Number)
    .refine((sec) => sec <= LAST_SEC, 'must be a time in Unix seconds before the year 10000')
    .optional()
    .meta({ description, type: 'integer' });
}

/** Returns a query field that filters by words or by a part of a string. */
export function partOf(description: string) {
  return z.string().trim().min(1, 'must not be empty').max(200).optional().describe(description);
}

/** Query field that filters by a boolean. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .optional()
  .meta({ type: 'boolean' });

const [METADATA_FILTER] = saying(/^metadata\..+$/, 'must be `metadata.` followed by a key');
const MEMBERS_MAX = 50;
const memberName = z.string().min(1).max(128);
/** E.164 phone number. */
export const PHONE = saying(
  /^\+[1-9]\d{1,14}$/,
  'must be a phone number such as +442071838750: a plus sign and 2 to 15 digits',
);

/** Variables that callers may attach to a conversation or a call. */
export const variables = freeMembers(z.unknown())
  .superRefine(checkFreeValue)
  .describe(
    'What the agent should know about the user, as at most 64 KiB of JSON. `{{name}}` in the prompt and in the first ' +
      'message is replaced by the value of `name`.',
  );
const metadataValue = z.string().max(1024);
export const metadata = freeMembers(metadataValue).describe(
  'Your own key-value pairs. Parley stores and returns them, but does not interpret them.',
);

export const metadataPatch = z
  .record(memberName, metadataValue.nullable())
  .refine(
    (members) => Object.keys(members).length <= 2 * MEMBERS_MAX,
    `must have at most ${2 * MEMBERS_MAX} members: ${MEMBERS_MAX} to set and ${MEMBERS_MAX} to remove`,
  )
  .meta({ maxProperties: 2 * MEMBERS_MAX })
  .nullable()
  .optional()
  .describe(
    'Members to change. A null value removes the member, and `"metadata": null` removes all members.',
  );

/** Checks the number of members in `metadata` after a merge patch. @throws ApiError invalid_body */
export function requireFewMembers(members: object): void {
  if (Object.keys(members).length <= MEMBERS_MAX) return;
  const detail = `would have more than ${MEMBERS_MAX} members: set some to null to remove them`;
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/metadata', code: 'too_big', detail }],
  });
}

const PAIRS_MAX = 10;

/** Filter by key-value pairs in `metadata`, such as `metadata.plan=gold`. All pairs must match. */
export const metadataFilter = z
  .record(memberName, metadataValue)
  .refine((pairs) => Object.keys(pairs).length <= PAIRS_MAX, `must have at most ${PAIRS_MAX} pairs`)
  .optional()
  .meta({
    description:
      '`metadata.KEY=VALUE` matches objects whose metadata has exactly this value for the key. If ' +
      'there are several pairs (at most 10), all of them must match.',
    // This is how OpenAPI describes an object whose members are separate parameters.
    propertyNames: { pattern: METADATA_FILTER.source },
    param: { style: 'form', explode: true },
  });
export const phoneFilter = z
  .string()
  .regex(PHONE[0], 'must be in E.164 format, such as +442071838750; write + as %2B in a URL')
  .optional();

function freeMembers<T extends z.ZodType>(value: T) {
  return z
    .record(memberName, value)
    .refine(
      (members) => Object.keys(members).length <= MEMBERS_MAX,
      `must have at most ${MEMBERS_MAX} members`,
    )
    .default({})
    .meta({ maxProperties: MEMBERS_MAX });
}
