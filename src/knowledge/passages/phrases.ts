/**
 * English as data: what a text is compared with is in english.json beside its user, with its
 * language. Here it becomes patterns and words.
 */

/** The source of a regular expression; a long one is cut into pieces to be read. */
type Phrase = string | readonly string[];

/** One of them is the whole text. */
export function whole(phrases: readonly Phrase[]): RegExp {
  return new RegExp(`^(?:${oneOf(phrases)})$`, 'u');
}

/** One of them is in the text, in whole words. */
export function within(phrases: readonly Phrase[]): RegExp {
  return new RegExp(String.raw`\b(?:${oneOf(phrases)})\b`, 'u');
}

/** One of them fits: each says itself where it stands. */
export function anywhere(phrases: readonly Phrase[]): RegExp {
  return new RegExp(oneOf(phrases), 'u');
}

/** With what stands for a name in braces, `{who}`, put in its place. */
export function filledIn(phrase: Phrase, parts: Readonly<Record<string, Phrase>>): string {
  return sourceOf(phrase).replaceAll(/\{([a-z]\w*)\}/gi, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`no part of a phrase is called ${name}`);
    return sourceOf(part);
  });
}

/** Lines of words. */
export function wordsIn(lines: readonly string[]): Set<string> {
  return new Set(lines.join(' ').split(' '));
}

function oneOf(phrases: readonly Phrase[]): string {
  return phrases.map(sourceOf).join('|');
}

function sourceOf(phrase: Phrase): string {
  return typeof phrase === 'string' ? phrase : phrase.join('');
}
