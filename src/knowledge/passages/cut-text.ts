/**
 * Maximum number of characters at the end of a piece that the next piece repeats, so that a divided sentence is
 * complete in one of the two pieces.
 */
export const OVERLAP_CHARS = 200;

/**
 * Patterns for the positions at which a text may be divided, best first: after a line, after a sentence, after a word.
 */
const BREAKS: readonly RegExp[] = [/\n+/g, /[.!?…。！？]["')\]”’]*\s+|[。！？]/g, /\s+/g];

/**
 * Yields pieces of at most `max` UTF-16 units, each beginning with the last words of the previous piece. A text without
 * spaces is divided between any two characters, but never inside a surrogate pair.
 */
export function* cutLongText(text: string, max: number): Generator<string> {
  let from = 0;
  while (text.length - from > max) {
    const end = cutAt(text, from, from + max);
    const piece = text.slice(from, end).trim();
    if (piece !== '') yield piece;
    from = overlapFrom(text, from, end);
  }
  const rest = text.slice(from).trim();
  if (rest !== '') yield rest;
}

/**
 * Returns the best position at which to divide the text. Searches only the second half of the longest piece that fits.
 */
function cutAt(text: string, from: number, to: number): number {
  const middle = from + Math.floor((to - from) / 2);
  for (const pattern of BREAKS) {
    const end = lastBreak(text, { pattern, from: middle, to });
    if (end !== undefined) return end;
  }
  return wholeCharacter(text, to);
}

/** Returns the start of the next piece: a word boundary within the overlap, always after the start of this piece. */
function overlapFrom(text: string, from: number, end: number): number {
  const earliest = Math.max(from + 1, end - OVERLAP_CHARS);
  for (const pattern of BREAKS) {
    const [found] = text.slice(earliest, end).matchAll(pattern);
    const start = found && earliest + found.index + found[0].length;
    if (start !== undefined && start < end) return start;
  }
  return end;
}

function lastBreak(
  text: string,
  { pattern, from, to }: { pattern: RegExp; from: number; to: number },
): number | undefined {
  const found = [...text.slice(from, to).matchAll(pattern)].at(-1);
  return found && from + found.index + found[0].length;
}

/** Returns the position, or the previous one if the position is between the halves of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
