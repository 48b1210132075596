/**
 * Repeated at the start of the next piece, so that a sentence cut in two is whole in one of them.
 */
export const OVERLAP_CHARS = 200;

/** Where a text may be cut, best first: after a line, a sentence, a word. */
const BREAKS: readonly RegExp[] = [/\n+/g, /[.!?…。！？]["')\]”’]*\s+|[。！？]/g, /\s+/g];

/**
 * Pieces of at most `max` UTF-16 units, each beginning with the last words of the one before. A
 * text without spaces is cut between characters, never inside one.
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

/** The last good place to cut in the second half of what fits in. */
function cutAt(text: string, from: number, to: number): number {
  const middle = from + Math.floor((to - from) / 2);
  for (const pattern of BREAKS) {
    const end = lastBreak(text, { pattern, from: middle, to });
    if (end !== undefined) return end;
  }
  return wholeCharacter(text, to);
}

/**
 * Where the next piece begins: at a word within the overlap, always behind the start of this one.
 */
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

/** Not between the halves of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
