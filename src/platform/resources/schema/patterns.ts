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
  const source = plain(pattern.source);
  if (!WORDS.has(source)) WORDS.set(source, words);
  return [pattern, words];
}

/** `pattern` as JSON Schema has it, without slashes. */
export function wordsOf(pattern: string): string {
  return WORDS.get(plain(pattern)) ?? 'has characters that may not be there';
}

/** Whether somebody wrote words for it. */
export function hasWords(pattern: string): boolean {
  return WORDS.has(plain(pattern));
}

/** Returns whether a message is the words of some pattern. */
export function areWords(message: string): boolean {
  return [...WORDS.values()].includes(message);
}

/** Without the escapes of slashes, which JavaScript adds and a schema of Kubernetes does not have. */
function plain(pattern: string): string {
  return pattern.replaceAll('\\/', '/');
}
