/**
 * This module describes patterns in words. If a value does not match a pattern, the REST API, the manifest folder and
 * the Kubernetes API server report the description. The OpenAPI document contains both the pattern and its description.
 */
const WORDS = new Map<string, string>();

/**
 * Registers the description of a pattern: `z.string().regex(...saying(/^[a-z]+$/, 'must be lower-case letters'))`. The
 * description completes a sentence that begins with the field's name.
 * @throws Error if the pattern already has a different description, because errors from the API server identify a
 * description only by its pattern
 */
export function saying(pattern: RegExp, words: string): [pattern: RegExp, message: string] {
  const source = plain(pattern.source);
  const known = WORDS.get(source) ?? words;
  if (known !== words)
    throw new Error(`/${source}/ has two descriptions: "${known}" and "${words}"`);
  WORDS.set(source, words);
  return [pattern, words];
}

/** Returns the description of a pattern. The pattern is given as in JSON Schema, without delimiting slashes. */
export function wordsOf(pattern: string): string {
  return WORDS.get(plain(pattern)) ?? 'contains characters that are not allowed';
}

export function hasWords(pattern: string): boolean {
  return WORDS.has(plain(pattern));
}

/** Returns true if a message is the description of some pattern. */
export function areWords(message: string): boolean {
  return [...WORDS.values()].includes(message);
}

/**
 * Removes the backslashes that JavaScript puts before slashes in a pattern, because the pattern in a Kubernetes schema
 * has none.
 */
function plain(pattern: string): string {
  return pattern.replaceAll('\\/', '/');
}
