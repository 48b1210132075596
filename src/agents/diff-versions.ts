import { isDeepStrictEqual } from 'node:util';

/** One difference between the contents of two versions. `path` is an RFC 6901 JSON Pointer. */
export type Change = { path: string; before: unknown; after: unknown };

/**
 * Returns the differences between two contents, as few as possible. Compares objects key by key, tools by name, and
 * other lists and texts as a whole. `before` or `after` is `null` if that side lacks the value.
 */
export function diffContent(before: unknown, after: unknown, path = ''): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [a, b] = [keyed(before), keyed(after)];
  if (!a || !b) return [{ path, before: before ?? null, after: after ?? null }];
  const keys = [...new Set([...a.keys(), ...b.keys()])].sort();
  return keys.flatMap((key) => {
    const token = key.replaceAll('~', '~0').replaceAll('/', '~1');
    return diffContent(a.get(key), b.get(key), `${path}/${token}`);
  });
}

/** Returns the parts of an object or a list of tools by key, or `undefined` for a value that is compared as a whole. */
function keyed(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = value.map((item: unknown) =>
    typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined,
  );
  if (!names.every((name) => typeof name === 'string')) return undefined;
  return new Map(names.map((name, i) => [name, value[i]]));
}
