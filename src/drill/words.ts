import { changesOf } from '../speech/heard/changes-of.ts';

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
export const wordsApart = (one: readonly string[], other: readonly string[]): number =>
  changesOf(one, other).at(-1)!;

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
  const apart = changesOf(whole, heard);
  const off = ({ count }: { count: number }): number => Math.abs(count - stored);
  const found = counts
    .filter((count) => count <= whole.length)
    .map((count) => ({ count, apart: apart[count]! }))
    .toSorted((a, b) => a.apart - b.apart || off(a) - off(b));
  return found[0] ?? { count: 0, apart: heard.length };
}
