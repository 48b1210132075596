import type { Schemas } from '../data/parley.ts';

/** One difference between two values. `path` is a JSON Pointer (RFC 6901) into them. */
export type Change = Schemas['VersionDiff']['changes'][number];

type Plain = { [name: string]: unknown };

/** Returns the members that differ between two objects, with both values. */
export function changesBetween(before: object, after: object): readonly Change[] {
  const [was, is] = [{ ...before } as Plain, { ...after } as Plain];
  return namesOf(was, is)
    .filter((name) => !isSame(was[name], is[name]))
    .map((name) => ({ path: `/${name}`, before: was[name], after: is[name] }));
}

/**
 * Returns the JSON merge patch (RFC 7386) that turns `before` into `after`, or undefined if they are the
 * same.
 */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (isSame(before, after)) return undefined;
  if (!isPlain(before) || !isPlain(after)) return after ?? null;
  const changes = namesOf(before, after).map(
    (name) => [name, mergePatch(before[name], after[name])] as const,
  );
  return Object.fromEntries(changes.filter(([, change]) => change !== undefined));
}

/**
 * Merges two people's changes to the same values. If only one person changed a member, that change is kept. `conflicts`
 * lists the paths of the members that both changed to different values.
 */
export function mergeChanges<Values>(
  base: Values,
  { mine, theirs, winner }: { mine: Values; theirs: Values; winner: 'mine' | 'theirs' },
): { merged: Values; conflicts: readonly string[] } {
  const conflicts: string[] = [];
  const merge = (was: unknown, my: unknown, their: unknown, path: readonly string[]): unknown => {
    if (isSame(my, was)) return their;
    if (isSame(their, was) || isSame(my, their)) return my;
    if (isPlain(my) && isPlain(their)) {
      const old = isPlain(was) ? was : {};
      const members = namesOf(my, their).map((name) => [
        name,
        merge(old[name], my[name], their[name], [...path, name]),
      ]);
      return Object.fromEntries(members);
    }
    conflicts.push(path.join('.'));
    return winner === 'mine' ? my : their;
  };
  return { merged: merge(base, mine, theirs, []) as Values, conflicts };
}

/**
 * Compares two values deeply, ignoring the order of members. A missing member, null and an empty string count as equal,
 * because an empty input cannot distinguish them.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, at) => isSame(one, b[at]));
  }
  if (!isPlain(a) || !isPlain(b)) return (a ?? '') === (b ?? '');
  return namesOf(a, b).every((name) => isSame(a[name], b[name]));
}

/** Returns the members that have a value, or undefined if none does. */
export function setMembers(members: object): Plain | undefined {
  const set = Object.entries(members).filter(([, value]) => !isNothing(value));
  return set.length === 0 ? undefined : Object.fromEntries(set);
}

/**
 * Returns the value without its empty members and blank items, or undefined if nothing is left. Inputs that nobody
 * filled in leave such members in a form's values.
 */
export function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(cleaned).filter((item) => !isNothing(item));
    return items.length === 0 ? undefined : items;
  }
  if (!isPlain(value)) return typeof value === 'string' ? value.trim() : value;
  return setMembers(
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleaned(one)])),
  );
}

/** Returns true if the value is empty, so that a form omits it from a request. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Joins a list into text with one item per line. */
export function textOfLines(lines: readonly string[] | undefined): string {
  return (lines ?? []).join('\n');
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

function namesOf(...both: readonly Plain[]): string[] {
  return [...new Set(both.flatMap(Object.keys))];
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
