/**
 * What patterns allow, in words. A pattern is for programs: whoever gets one wrong is told the words,
 * by REST, by a manifest and by the API server alike, and the OpenAPI document has both.
 */
const WORDS = new Map<string, string>();

/**
 * `z.string().regex(...saying(/^[a-z]+$/, 'must be lower-case letters'))`: the words complete a
 * sentence that begins with the field.
 */
export function saying(pattern: RegExp, words: string): [pattern: RegExp, message: string] {
  if (!WORDS.has(pattern.source)) WORDS.set(pattern.source, words);
  return [pattern, words];
}

/** `pattern` as JSON Schema has it, without slashes. */
export function wordsOf(pattern: string): string {
  return WORDS.get(pattern) ?? 'has characters that may not be there';
}

/** Whether somebody wrote words for it. */
export function hasWords(pattern: string): boolean {
  return WORDS.has(pattern);
}
