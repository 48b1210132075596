import { z } from 'zod';
import { fromUuid, toUuid, type IdPrefix } from '../../ids.ts';
import { MAX_INT32 } from '../resources/schema/field-types.ts';

/** Fields that requests and answers of several nouns share: ids, times, filters, free members. */

const EXAMPLE_UUID = '01936a0e-7d5b-7000-8000-3a5c1f2b4d6e';

/**
 * An id in a path, as its uuid. The message is the detail of the 404: the same words as for an id
 * that names nothing (contract §3).
 */
export function idParam(prefix: IdPrefix, noun: string) {
  return uuidOf(prefix, `there is no such ${noun}`).meta({
    ...idMeta(prefix),
    description: `Id of the ${noun}.`,
  });
}

/** An id in a query or body, as its uuid. */
export function idValue(prefix: IdPrefix) {
  const meta = idMeta(prefix);
  return uuidOf(prefix, `must be an id like ${meta.example}`).meta(meta);
}

function uuidOf(prefix: IdPrefix, message: string) {
  return z.string().transform((id, context) => {
    const uuid = toUuid(prefix, id);
    if (uuid !== null) return uuid;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** For readers and generators; what decides is toUuid. */
function idMeta(prefix: IdPrefix): { example: string; pattern: string } {
  return {
    example: fromUuid(prefix, EXAMPLE_UUID),
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
  };
}

export const versionParam = z
  .string()
  .transform((text, context) => {
    const version = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : Infinity;
    if (version <= MAX_INT32) return version;
    context.addIssue({ code: 'custom', message: 'the agent has no such version' });
    return z.NEVER;
  })
  .meta({ description: 'Number of a version.', type: 'integer', minimum: 1, example: 2 });

/** Times in JSON are integer Unix seconds, in rows Unix milliseconds (contract §1). */
export function unixSec(ms: number): number {
  return Math.floor(ms / 1_000);
}

export function unixSecOrNull(ms: number | null): number | null {
  return ms === null ? null : unixSec(ms);
}

export const unixTime = z.int().meta({ description: 'Unix seconds.' });
export const createdAt = z.int().meta({ description: 'When it was made, Unix seconds.' });
export const updatedAt = z.int().meta({ description: 'When it last changed, Unix seconds.' });

/** A bound of a list in Unix seconds, up to the year 9999, which a UUIDv7 still carries. */
export function timeBound(description: string) {
  return z
    .string()
    .regex(/^[0-9]{1,12}$/, 'must be Unix seconds, a whole number')
    .transform(Number)
    .refine((sec) => sec <= 253_402_300_799, 'must be Unix seconds, before the year 10000')
    .optional()
    .meta({ description, type: 'integer' });
}

/** A filter by a field that is true or false. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .optional()
  .meta({ type: 'boolean' });

const MEMBERS_MAX = 50;

/** What callers may hang on a conversation or a call. */
export const variables = freeMembers(z.unknown()).describe(
  'What the agent may know of the user; `{{name}}` in its first message.',
);
export const metadata = freeMembers(z.string().max(1024)).describe(
  'Free key-value pairs of yours; kept and shown, never read.',
);

function freeMembers<T extends z.ZodType>(value: T) {
  return z
    .record(z.string().min(1).max(128), value)
    .refine(
      (members) => Object.keys(members).length <= MEMBERS_MAX,
      `may have at most ${MEMBERS_MAX} members`,
    )
    .default({})
    .meta({ maxProperties: MEMBERS_MAX });
}
