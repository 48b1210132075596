import { z } from 'zod';
import { fromUuid, toUuid, type IdPrefix } from '../../ids.ts';
import { MAX_INT32 } from '../resources/schema/field-types.ts';
import { COUNT_MAX } from '../postgres/count-rows.ts';
import { saying } from '../resources/schema/patterns.ts';
import { flag } from './fields.ts';

/**
 * Pages of a list, newest first by default (contract/pagination.md#lists). A cursor identifies the last
 * item of a page: it contains the item's id, or the list's name and the item's number, in base64url. From the id's
 * prefix or the list's name, the API recognizes and rejects a cursor from a different list.
 */

export type Page<Item> = { data: Item[]; has_more: boolean; next_cursor: string | null };

export const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** Query parameter for the maximum number of items on a page, 20 by default. */
export const pageLimit = z
  .string()
  .regex(...saying(/^[0-9]{1,3}$/, `must be a whole number from 1 to ${LIMIT_MAX}`))
  .transform(Number)
  .refine((items) => items >= 1 && items <= LIMIT_MAX, `must be from 1 to ${LIMIT_MAX}`)
  .default(LIMIT_DEFAULT)
  .meta({
    description: 'Maximum number of items on a page.',
    type: 'integer',
    default: LIMIT_DEFAULT,
    minimum: 1,
    maximum: LIMIT_MAX,
  });

/** Query parameter for the order of a list by creation time. */
export const listOrder = z
  .enum(['newest', 'oldest'], 'must be newest or oldest')
  .optional()
  .meta({ description: 'Which items come first, by creation time. Default: newest.' });

/** Query parameter that requests the number of items in a list (contract/pagination.md#lists). */
export const withTotal = flag.meta({
  description: 'If true, the response has `total_count`. Default: false.',
});

/** Response field for the number of items in a list. */
export const totalCount = z
  .int()
  .min(0)
  .max(COUNT_MAX)
  .nullable()
  .optional()
  .meta({
    description:
      `Total number of items on all pages. ${COUNT_MAX.toLocaleString('en')} means at least that many. ` +
      'Null if counting takes more than half a second. Absent unless `total=true`.',
  });

/** Returns the query schema of a list whose items have ids. The parsed `cursor` is a UUID. */
export function idPage(prefix: IdPrefix) {
  return { limit: pageLimit, cursor: cursorOf((text) => toUuid(prefix, text) ?? undefined) };
}

/** Returns the cursor schema of a list whose items have ids and whose query is in the request body. */
export function cursorInBody(prefix: IdPrefix) {
  return cursorOf((text) => toUuid(prefix, text) ?? undefined);
}

/** Returns the query schema of a list whose items are numbered from 1. */
export function numberPage(list: string) {
  return { limit: pageLimit, cursor: cursorOf((text) => numberIn(list, text)) };
}

export function idCursor(prefix: IdPrefix): (item: { id: string }) => string {
  return ({ id }) => encodeCursor(fromUuid(prefix, id));
}

export function numberCursor(list: string, number: number): string {
  return encodeCursor(`${list}:${number}`);
}

/** Builds a page. If another page follows, `rows` must have one row more than `limit`. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  page: { limit: number; view: (row: Row) => Item; cursorOf: (row: Row) => string },
): Page<Item> {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > page.limit;
  return {
    data: shown.map(page.view),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? page.cursorOf(last) : null,
  };
}

export function pageSchema<T extends z.ZodType>(item: T) {
  return z.strictObject({
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Value of `cursor` for the next page. Null on the last page.' }),
  });
}

/** Returns a schema for a cursor that `read` decodes. `read` returns undefined for a cursor from a different list. */
export function cursorOf<T>(read: (text: string) => T | undefined) {
  return z
    .string()
    .max(200)
    .transform((cursor, context): T => {
      const text = Buffer.from(cursor, 'base64url').toString('utf8');
      const position = encodeCursor(text) === cursor ? read(text) : undefined;
      if (position !== undefined) return position;
      const message =
        'is not a cursor for this list: send the `next_cursor` of the previous page unchanged';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page.' });
}

function numberIn(list: string, text: string): number | undefined {
  const digits = /^[1-9][0-9]{0,9}$/.exec(text.slice(list.length + 1))?.[0];
  const number = Number(digits);
  return text.startsWith(`${list}:`) && number <= MAX_INT32 ? number : undefined;
}

export function encodeCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}
