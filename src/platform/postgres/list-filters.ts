import { lowestUuidAt } from '../../ids.ts';

export type ListPage = {
  namespace: string;
  /** UUID of the last item of the previous page. */
  before?: string | null | undefined;
  limit: number;
};

/** Order of a list by creation time. The default is newest first. */
export type ListOrder = { order?: 'newest' | 'oldest' | undefined };

/** Returns the SQL for an order: the direction, and the operator that selects the items after a given item. */
export function inOrder({ order }: ListOrder): {
  direction: 'asc' | 'desc';
  follows: '>' | '<';
} {
  return order === 'oldest'
    ? { direction: 'asc', follows: '>' }
    : { direction: 'desc', follows: '<' };
}

/**
 * Maximum size in bytes of the JSON documents in one page. The limit is needed because serializing a page blocks the
 * event loop of the process.
 */
export const PAGE_DOCUMENTS_BYTES = 1024 * 1024;
/**
 * Maximum size in bytes of the variables and metadata in one page of conversations or calls. Reading and serializing
 * 1 MiB of them takes 8 ms of CPU time, during which all other requests wait.
 */
export const PAGE_VARIABLES_BYTES = 256 * 1024;

/**
 * Returns the query for a list whose items have JSON documents. The query returns the first row and all further rows
 * whose documents still fit on the page. If more rows follow, the query also returns the next row, with `fits` false.
 * PostgreSQL adds up the sizes row by row and stops after that row, because it needs 0.2 ms of CPU time to read a
 * document of 64 KiB. `limit` is one more than the number of items on the page.
 */
export function fittingRows(list: {
  /** Name by which the other parts of the query refer to the table. */
  table: string;
  /** The table with its alias and joins. The default is `table`. */
  from?: string;
  where: string;
  order: string;
  limit: string;
  columns: string;
  /** SQL for the size of a row's documents. See `bytesOf`. */
  bytes: string;
  /** Maximum size in bytes of the documents in a page. The default is `PAGE_DOCUMENTS_BYTES`. */
  pageBytes?: number;
}): string {
  const { table, from = table, where, order, limit, columns, bytes } = list;
  const { pageBytes = PAGE_DOCUMENTS_BYTES } = list;
  return `with recursive page as materialized (
        select row_number() over (order by ${order}) as place, *
          from (select ${table}.* from ${from} where ${where} order by ${order} limit ${limit}) as ${table}),
      walk (place, total, room) as (
        select 1::bigint, ${bytes}, greatest(${pageBytes}, ${bytes})
          from page as ${table} where place = 1
        union all
        select walk.place + 1, walk.total + ${bytes}, walk.room
          from walk join page as ${table} on ${table}.place = walk.place + 1
         where walk.total <= walk.room)
    select ${columns}, total <= room as fits from walk join page as ${table} using (place)
     order by place`;
}

/** Returns the SQL for the size of JSON columns in bytes. */
export function bytesOf(...columns: readonly string[]): string {
  return columns.map((column) => `octet_length(${column}::text)`).join(' + ');
}

/** Row that the query of `fittingRows` returns. */
export type FittingRow<Row> = Row & { fits: boolean };

/** Returns the number of items on the page. Counts at most `limit` items, and only items that fit. */
export function itemsThatFit(rows: readonly { fits?: boolean }[], limit: number): number {
  const tooLarge = rows.findIndex(({ fits }) => fits === false);
  return tooLarge === -1 ? limit : Math.min(limit, tooLarge);
}

/** Range in Unix seconds. The first bound is inclusive, the second exclusive. */
export type CreatedBetween = {
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
};

/**
 * SQL condition and its value. The value replaces `?` in the condition, or is appended if there is no `?`. A condition
 * whose value is null or undefined is omitted.
 */
export type Condition = [condition: string, value: Value | null | undefined];
type Value = string | number | boolean | readonly string[];

/**
 * Builds a `where` clause that contains only the filters that have a value, so that PostgreSQL can choose an index for
 * each combination of filters.
 */
export function filteredBy(conditions: readonly Condition[]): {
  where: string;
  values: unknown[];
} {
  const given = conditions.filter(([, value]) => value !== undefined && value !== null);
  return {
    where: given
      .map(([condition], i) => {
        const value = `$${i + 1}`;
        return condition.includes('?') ? condition.replace('?', value) : `${condition} ${value}`;
      })
      .join(' and '),
    values: given.map(([, value]) => value),
  };
}

/**
 * Returns conditions that limit a time column. The bounds are in Unix seconds; the first is inclusive, and the second
 * is exclusive.
 */
export function timeBetween(
  column: string,
  { after, before }: { after?: number | undefined; before?: number | undefined },
): Condition[] {
  return [
    [`${column} >= to_timestamp(?::float8)`, after],
    [`${column} < to_timestamp(?::float8)`, before],
  ];
}

/** Returns a `like` pattern that matches any string that contains this text. Wildcards in the text are escaped. */
export function anywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/**
 * Returns a condition that a column has one of the values. A single value is compared with `=` instead of `any`,
 * because PostgreSQL can use more indexes for `=`.
 */
export function oneOf(column: string, values: readonly string[] | undefined): Condition {
  return values?.length === 1 ? [`${column} =`, values[0]] : [`${column} = any(?)`, values];
}

/**
 * Returns conditions that limit the creation time by the id instead of a time column. The id contains the creation
 * time, so PostgreSQL can skip whole partitions.
 */
export function createdBetween(
  { createdAfter, createdBefore }: CreatedBetween,
  id = 'id',
): Condition[] {
  const idAt = (sec?: number) => (sec === undefined ? undefined : lowestUuidAt(sec * 1_000));
  return [
    [`${id} >=`, idAt(createdAfter)],
    [`${id} <`, idAt(createdBefore)],
  ];
}
