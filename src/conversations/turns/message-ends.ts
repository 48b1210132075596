/**
 * Maximum number of characters that the rules read at each end of a message. People who write more than a page state
 * their wish at its beginning or end.
 */
const CHARS_MAX = 2_000;
const CLAUSES_MAX = 100;

/** Returns the beginning and the end of a long text, on separate lines. Returns a short text unchanged. */
export function endsOf(text: string): string {
  return text.length > 2 * CHARS_MAX
    ? `${text.slice(0, CHARS_MAX)}\n${text.slice(-CHARS_MAX)}`
    : text;
}

/** Returns the first and the last clauses of a text. Returns a short list unchanged. */
export function endClausesOf(clauses: readonly string[]): readonly string[] {
  return clauses.length > 2 * CLAUSES_MAX
    ? [...clauses.slice(0, CLAUSES_MAX), ...clauses.slice(-CLAUSES_MAX)]
    : clauses;
}
