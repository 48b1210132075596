import { shapeProblem } from '../resources/schema/free-value.ts';

/** Bounds of a REST body (contract/requests.md#bodies), and the depth of a spec with a tool's parameters. */
const SPEC_BOUNDS = { membersMax: 10_000, depthMax: 72 };

/**
 * The API server takes any character in a string; PostgreSQL stores neither U+0000 nor half of a
 * surrogate pair. And it takes what is very deep or has very many parts where a schema preserves
 * unknown fields. Such a spec is refused with a message instead of failing for ever, or of making
 * every list that shows it slow.
 */
export function refuseUnstorable(spec: unknown): { reason: string; message: string } | undefined {
  const shape = shapeProblem(spec, SPEC_BOUNDS);
  if (shape !== undefined) return { reason: 'TooLarge', message: `spec ${shape}` };
  const place = findUnstorable(spec, 'spec');
  if (place === undefined) return undefined;
  const message = `${place} has a character that cannot be stored: U+0000, or half of a surrogate pair`;
  return { reason: 'InvalidCharacter', message };
}

export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The path of the first such string; of a key, the path of its object. */
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
