/**
 * This module builds patterns and sets from English phrases and words, which are stored in an english.json beside the
 * code that uses them.
 */

/** Source of a regular expression. A long one may be given as a list of its pieces, for readability. */
type Phrase = string | readonly string[];

/** Returns a pattern that matches if the whole text is one of the phrases. */
export function whole(phrases: readonly Phrase[]): RegExp {
  return new RegExp(`^(?:${oneOf(phrases)})$`, 'u');
}

/** Returns a pattern that matches if the text contains one of the phrases as whole words. */
export function within(phrases: readonly Phrase[]): RegExp {
  return new RegExp(String.raw`\b(?:${oneOf(phrases)})\b`, 'u');
}

/**
 * Returns a pattern that matches if one of the phrases does. Unlike `whole` and `within`, it adds no anchors, because
 * the phrases have their own.
 */
export function anywhere(phrases: readonly Phrase[]): RegExp {
  return new RegExp(oneOf(phrases), 'u');
}

/** Returns the distinct words of lines in which words are separated by spaces. */
export function wordsIn(lines: readonly string[]): Set<string> {
  return new Set(lines.join(' ').split(' '));
}

function oneOf(phrases: readonly Phrase[]): string {
  return phrases.map(sourceOf).join('|');
}

function sourceOf(phrase: Phrase): string {
  return typeof phrase === 'string' ? phrase : phrase.join('');
}
