import { isDeepStrictEqual } from 'node:util';
import type { Change, Fields } from './audit-log.sql.ts';

/**
 * Returns the differences between two states, with REST field names. Includes the values of the fields named in `told`.
 * Other fields are long or may be confidential, so only their names are included. For `metadata`, lists the changed
 * keys.
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

/** Picks the fields that the audit log shows for a created or deleted object. */
export function toldOf(fields: Fields, told: readonly string[]): Fields {
  return pick(
    fields,
    told.filter((field) => fields[field] !== undefined),
  );
}

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
