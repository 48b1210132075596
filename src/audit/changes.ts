import { isDeepStrictEqual } from 'node:util';
import type { Change, Fields } from './audit-log.sql.ts';

/**
 * What differs between two states, in the names of REST. The values of the fields in `told` are
 * told; of the others only that they changed, by name: they are long, or may hold what is nobody's
 * business. Of `metadata` the keys that changed are named.
 */
export function changesBetween(before: Fields, after: Fields, told: readonly string[]): Change {
  const changed = differing(before, after);
  const shown = changed.filter((field) => told.includes(field));
  const names = changed.flatMap((field) =>
    field === 'metadata' ? metadataKeys(before[field], after[field]) : [field],
  );
  return {
    before: pick(before, shown),
    after: pick(after, shown),
    detail: { changed: names.toSorted() },
  };
}

/** The fields that are told of a thing that is new, or gone. */
export function toldOf(fields: Fields, told: readonly string[]): Fields {
  return pick(
    fields,
    told.filter((field) => fields[field] !== undefined),
  );
}

/** Names of the fields that differ. */
export function differing(before: Fields, after: Fields): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

function metadataKeys(before: unknown, after: unknown): string[] {
  return differing((before ?? {}) as Fields, (after ?? {}) as Fields).map(
    (key) => `metadata.${key}`,
  );
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}
