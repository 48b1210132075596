import { lowestUuidAt } from '../../ids.ts';

/** What every list is asked for: a page of a namespace. */
export type ListPage = {
  namespace: string;
  /** Id after which the page starts, a uuid. */
  before?: string | null | undefined;
  limit: number;
};

/** Unix seconds; the first inclusive, the second exclusive. */
export type CreatedBetween = {
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
};

/** A condition up to its value, or with `?` in its place; left out when there is no value. */
export type Condition = [condition: string, value: Value | null | undefined];
type Value = string | number | boolean | readonly string[];

/** Only what is asked for stands in the statement, so that each filter finds its index. */
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

/** Bounds of a column of time, in Unix seconds; the first inclusive, the second exclusive. */
export function timeBetween(
  column: string,
  { after, before }: { after?: number | undefined; before?: number | undefined },
): Condition[] {
  return [
    [`${column} >= to_timestamp(?::float8)`, after],
    [`${column} < to_timestamp(?::float8)`, before],
  ];
}

/** A text anywhere in another, for `like`; what that would read as more than itself is itself. */
export function anywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** One value finds an index that several do not. */
export function oneOf(column: string, values: readonly string[] | undefined): Condition {
  return values?.length === 1 ? [`${column} =`, values[0]] : [`${column} = any(?)`, values];
}

/** Bounds of the id, whose time is that of the creation: whole partitions are left out. */
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
