/**
 * Bounds of what the rules read of a message. Whoever writes more than a page says at its beginning or at its end what
 * they want.
 */
const CHARS_MAX = 2_000;
const CLAUSES_MAX = 100;

/** The beginning and the end of a text, on lines of their own; a short text as it is. */
export function endsOf(text: string): string {
  return text.length > 2 * CHARS_MAX
    ? `${text.slice(0, CHARS_MAX)}\n${text.slice(-CHARS_MAX)}`
    : text;
}

/** The first and the last clauses of a text; few clauses as they are. */
export function endClausesOf(clauses: readonly string[]): readonly string[] {
  return clauses.length > 2 * CLAUSES_MAX
    ? [...clauses.slice(0, CLAUSES_MAX), ...clauses.slice(-CLAUSES_MAX)]
    : clauses;
}
