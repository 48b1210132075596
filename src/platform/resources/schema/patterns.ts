/**
 * This module describes patterns in words. For a value that does not match a pattern, REST, manifests and the API
 * server report the description. The OpenAPI document contains the pattern and its description.
 */
const WORDS = new Map<string, string>();

/**
 * Registers the description of a pattern: `z.string().regex(...saying(/^[a-z]+$/, 'must be lower-case letters'))`. The
 * description completes a sentence that begins with the field's name.
 * @throws Error if the pattern has another description: the schemas that the API server reports errors of contain only
 *   the pattern
 */
export function saying(pattern: RegExp, words: string): [pattern: RegExp, message: string] {
  const source = plain(pattern.source);
  const known = WORDS.get(source) ?? words;
  if (known !== words)
    throw new Error(`/${source}/ has two descriptions: "${known}" and "${words}"`);
  WORDS.set(source, words);
  return [pattern, words];
}

/** Returns the description of a pattern. The pattern is given as in JSON Schema, without the delimiting slashes. */
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

/** Removes the backslashes that JavaScript writes before slashes in a pattern, because a Kubernetes schema has none. */
function plain(pattern: string): string {
  return pattern.replaceAll('\\/', '/');
}
