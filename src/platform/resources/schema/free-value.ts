import type { z } from 'zod';

/**
 * Limits for a value with unknown fields, such as a tool's JSON Schema. Validation, hashing and responses traverse the
 * whole value, and every list of objects includes it. A CRD cannot limit the size or depth of such a value, so the REST
 * API and the operator do.
 */
export const FREE_VALUE = {
  /** Maximum size of the value as JSON, in bytes. */
  bytesMax: 64 * 1024,
  depthMax: 64,
  /** Maximum number of object members and list elements in total. */
  membersMax: 2_000,
};

export const FREE_VALUE_BOUNDS = `at most ${FREE_VALUE.bytesMax / 1024} KiB, ${FREE_VALUE.membersMax} members and elements, and ${FREE_VALUE.depthMax} levels`;

/**
 * Describes the limit that a JSON value exceeds, as the end of a sentence, such as `must be nested at most …`. Returns
 * undefined if the value is within all limits.
 */
export function freeValueProblem(value: unknown): string | undefined {
  const { bytesMax, depthMax, membersMax } = FREE_VALUE;
  const shape = shapeProblem(value, { depthMax, membersMax });
  if (shape) return shape;
  const isLarge = Buffer.byteLength(JSON.stringify(value) ?? '') > bytesMax;
  return isLarge ? `must not be larger than ${bytesMax / 1024} KiB as JSON` : undefined;
}

/**
 * Like `freeValueProblem`, but checks only the depth and the number of members. It stops as soon as a limit is
 * exceeded, so that a hostile value costs little.
 */
export function shapeProblem(
  value: unknown,
  { depthMax, membersMax }: { depthMax: number; membersMax: number },
): string | undefined {
  let level = [value];
  let members = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue;
      if (depth === depthMax) return `must be nested at most ${depthMax} levels deep`;
      const children: unknown[] = Array.isArray(one) ? one : Object.values(one);
      members += children.length;
      if (members > membersMax) return `must have at most ${membersMax} members and elements`;
      for (const child of children) inner.push(child);
    }
    level = inner;
  }
  return undefined;
}

/** Check for zod's `superRefine`. Reports a value that exceeds a limit as a zod issue. */
export function checkFreeValue(value: unknown, context: z.RefinementCtx): void {
  const message = freeValueProblem(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
}
