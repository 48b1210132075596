import { z } from 'zod';
import { fromUuid, toUuid, type IdPrefix } from '../../ids.ts';
import { MAX_INT32 } from '../resources/schema/field-types.ts';

/** Parameters in a path. The message of one that is wrong is the detail of the 404. */

const EXAMPLE_UUID = '01936a0e-7d5b-7000-8000-3a5c1f2b4d6e';

/** An id of one kind, as its uuid. The same words as for one that names nothing (contract §3). */
export function idParam(prefix: IdPrefix, noun: string) {
  return z
    .string()
    .transform((id, context) => {
      const uuid = toUuid(prefix, id);
      if (uuid !== null) return uuid;
      context.addIssue({ code: 'custom', message: `there is no such ${noun}` });
      return z.NEVER;
    })
    .meta({ ...idMeta(prefix), description: `Id of the ${noun}.` });
}

/** An id in a query or body, as its uuid. */
export function idValue(prefix: IdPrefix) {
  const meta = idMeta(prefix);
  return z
    .string()
    .transform((id, context) => {
      const uuid = toUuid(prefix, id);
      if (uuid !== null) return uuid;
      context.addIssue({ code: 'custom', message: `must be an id like ${meta.example}` });
      return z.NEVER;
    })
    .meta(meta);
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

/** For readers and generators; what decides is toUuid. */
function idMeta(prefix: IdPrefix): { example: string; pattern: string } {
  return {
    example: fromUuid(prefix, EXAMPLE_UUID),
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
  };
}
