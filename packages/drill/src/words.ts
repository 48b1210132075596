import { changesOf } from '../../../src/voice/playout/changes-of.ts';

/** Returns normalized words: "Stop it!" and "stop it" are the same. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}]+(?:'\p{L}+)*/gu) ?? []
  );
}

/** Returns the Levenshtein distance in words. */
export const wordsApart = (one: readonly string[], other: readonly string[]): number =>
  changesOf(one, other).at(-1)!;

/** Returns the distance between `heard` and the best-fitting beginning of `whole`. */
export const wordsApartFromBeginning = (
  whole: readonly string[],
  heard: readonly string[],
): number => Math.min(...changesOf(whole, heard));
