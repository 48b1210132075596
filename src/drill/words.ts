/** Lower-case words, however they are set: "Stop it!" and "stop it" are the same. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}]+(?:'\p{L}+)*/gu) ?? []
  );
}

/** How many words have to be changed, added or left out to make one of the other (Levenshtein). */
export function wordsApart(one: readonly string[], other: readonly string[]): number {
  let row = other.map((_, at) => at + 1);
  for (const [at, word] of one.entries()) {
    let diagonal = at;
    let left = at + 1;
    const next = [];
    for (const [i, above] of row.entries()) {
      left = Math.min(above + 1, left + 1, diagonal + (word === other[i] ? 0 : 1));
      diagonal = above;
      next.push(left);
    }
    row = next;
  }
  return row.at(-1) ?? one.length;
}

/** By so many words a recognizer may miscount, where it runs two together. */
const SLACK = 3;

/**
 * How many words of a text were heard, and in how many what was heard differs from them. `stored`: how many are
 * said to have been; it decides where a word that was cut was taken for another one, since that tells neither.
 */
export function wordsHeard(
  whole: readonly string[],
  heard: readonly string[],
  stored: number,
): { count: number; apart: number } {
  const from = Math.max(0, heard.length - SLACK);
  const counts = Array.from({ length: 2 * SLACK + 1 }, (_, at) => from + at);
  const off = ({ count }: { count: number }): number => Math.abs(count - stored);
  const found = counts
    .filter((count) => count <= whole.length)
    .map((count) => ({ count, apart: wordsApart(whole.slice(0, count), heard) }))
    .toSorted((a, b) => a.apart - b.apart || off(a) - off(b));
  return found[0] ?? { count: 0, apart: heard.length };
}
