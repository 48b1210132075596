/** Maximum number of characters that a list quotes from a text. */
export const QUOTE_MAX = 280;

/** Maximum number of characters in an excerpt before the first matching word. */
const LEAD_MAX = 120;
/** Pattern for the end of a sentence or a line. */
const SENTENCE_END = /[.!?…]\s|[。！？\n]/g;

/** Truncates text, but never between the halves of a surrogate pair, which PostgreSQL would reject. */
export function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}

/**
 * Returns the sentence with the first occurrence of any of the words, on one line and with at most 280 characters.
 * Returns the beginning of the text if it contains none of the words.
 */
export function excerptAround(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const from = Math.max(0, at - LEAD_MAX);
  const lead = text.slice(from, at);
  const last = [...lead.matchAll(SENTENCE_END)].at(-1);
  // If no sentence ends nearby, the excerpt starts after a space, or at any character in a script without spaces.
  const skipped = last ? last.index + last[0].length : from === 0 ? 0 : lead.indexOf(' ') + 1;
  const isWhole = last !== undefined || from === 0;
  const rest = text.slice(from + skipped, from + skipped + 2 * QUOTE_MAX);
  const matched = at - from - skipped;
  const end = [...rest.slice(matched).matchAll(SENTENCE_END)][0];
  const sentence = end ? rest.slice(0, matched + end.index + 1) : rest;
  const line = `${isWhole ? '' : '… '}${sentence.replaceAll(/\s+/g, ' ').trim()}`;
  return cut(line.toWellFormed(), QUOTE_MAX);
}
