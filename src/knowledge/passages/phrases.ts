/**
 * English as data: the phrases and words that texts are compared with are in an english.json beside
 * the code that uses them. Here they become patterns and sets.
 */

/** The source of a regular expression; a long one is in pieces, for readers. */
type Phrase = string | readonly string[];

/** Matches when one of them is the whole text. */
export function whole(phrases: readonly Phrase[]): RegExp {
  return new RegExp(`^(?:${oneOf(phrases)})$`, 'u');
}

/** Matches when one of them is in the text, in whole words. */
export function within(phrases: readonly Phrase[]): RegExp {
  return new RegExp(String.raw`\b(?:${oneOf(phrases)})\b`, 'u');
}

/** Matches when one of them does; each has anchors of its own. */
export function anywhere(phrases: readonly Phrase[]): RegExp {
  return new RegExp(oneOf(phrases), 'u');
}

/** The words of some lines. */
export function wordsIn(lines: readonly string[]): Set<string> {
  return new Set(lines.join(' ').split(' '));
}

function oneOf(phrases: readonly Phrase[]): string {
  return phrases.map(sourceOf).join('|');
}

function sourceOf(phrase: Phrase): string {
  return typeof phrase === 'string' ? phrase : phrase.join('');
}
