import { changesOf } from '../../../src/voice/playout/changes-of.ts';

/** Returns the words of a text in lower case and without punctuation, so that "Stop it!" equals "stop it". */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}]+(?:'\p{L}+)*/gu) ?? []
  );
}

/** Returns the Levenshtein distance between two texts, counted in words. */
export const wordsApart = (one: readonly string[], other: readonly string[]): number =>
  changesOf(one, other).at(-1)!;

/** Returns the distance in words between `heard` and the best-matching prefix of `whole`. */
export const wordsApartFromBeginning = (
  whole: readonly string[],
  heard: readonly string[],
): number => Math.min(...changesOf(whole, heard));
