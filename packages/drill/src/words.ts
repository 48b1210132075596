import { changesOf } from '../../../src/speech/heard/changes-of.ts';

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

/** The same, of the beginning of a text that what was heard of it fits best. */
export const wordsApartFromBeginning = (
  whole: readonly string[],
  heard: readonly string[],
): number => Math.min(...changesOf(whole, heard));
