import { shapeProblem } from '../resources/schema/free-value.ts';

/**
 * Limits of a spec. `membersMax` is the same as for a REST body (contract/requests.md#bodies). `depthMax` leaves room
 * for a tool's parameters, which may themselves be 64 levels deep.
 */
const SPEC_BOUNDS = { membersMax: 10_000, depthMax: 72 };

/**
 * Returns the reason why a spec cannot be stored, or undefined if it can. The API server accepts any character in a
 * string, but PostgreSQL can store neither U+0000 nor a lone surrogate. In fields that may have unknown members, the
 * API server also accepts very deep or very large values. Without this check, such a spec would fail on every retry, or
 * slow down every list that includes it.
 */
export function refuseUnstorable(spec: unknown): { reason: string; message: string } | undefined {
  const shape = shapeProblem(spec, SPEC_BOUNDS);
  if (shape !== undefined) return { reason: 'TooLarge', message: `spec ${shape}` };
  const place = findUnstorable(spec, 'spec');
  if (place === undefined) return undefined;
  const message = `${place} contains a character that cannot be stored: U+0000, or half of a surrogate pair`;
  return { reason: 'InvalidCharacter', message };
}

export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * Returns the path of the first string that cannot be stored. If that string is a key, returns the path of its object.
 */
function findUnstorable(value: unknown, place: string): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : place;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) return place;
    const step = Array.isArray(value) ? `[${key}]` : `.${key}`;
    const found = findUnstorable(inner, `${place}${step}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
