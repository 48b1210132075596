import { changesOf } from './changes-of.ts';
import { wordsOf } from './words.ts';

/**
 * Estimates how much of a sentence was played from two transcripts: one of the played audio and one of the rest.
 * Recognizers mishear, write numbers in their own way, complete words that were cut in half, and invent text after the
 * end of the audio. So the letters of the two transcripts are aligned with the beginning and the end of the sentence. A
 * prior estimate decides between positions that fit equally well. docs/evaluation.md reports the accuracy for
 * third-party texts.
 */

/** Transcripts of the two parts. A transcript is undefined if there was no audio or recognition failed. */
type Understood = { played: string | undefined; rest: string | undefined };

/**
 * Cost of each letter between a position and the prior estimate. For comparison, a letter that differs from the
 * transcript costs 1.
 */
const OFF_GUESS = 0.5;
/**
 * Maximum share of a transcript's letters that may differ from the sentence. A transcript with more differences is
 * taken to be of a different text.
 */
const CHANGED_MAX = 1 / 2;
/**
 * Share of a word's letters that must have been played for the word to count as heard. The share is high because
 * recognizers often turn half a word into a whole word with the same beginning.
 */
const ENOUGH = 3 / 4;
/**
 * Maximum length of a transcript relative to the text. A longer transcript is useless, and the cost of the alignment is
 * the product of the two lengths.
 */
const LONGER_MAX = 2;

/**
 * Returns the words of a text that were played, with the punctuation after them. Returns undefined if the transcripts
 * are inconclusive. `guess` is the prior estimate of the result.
 */
export function playedByTranscript(
  text: string,
  { played, rest, guess }: Understood & { guess: string },
): string | undefined {
  const said = lettersOf(text);
  const guessed = lettersOf(guess).length;
  const before = fitOf(said, { understood: lettersOf(played ?? ''), guessed });
  // Both texts are reversed, so that the end of the sentence is aligned as if it were the beginning.
  const after = fitOf(said.toReversed(), {
    understood: lettersOf(rest ?? '').toReversed(),
    guessed: said.length - guessed,
  });
  if (!before && !after) return undefined;
  const changes = Array.from(
    { length: said.length + 1 },
    (_, end) => (before?.[end] ?? 0) + (after?.[said.length - end] ?? 0),
  );
  return firstLetters(text, bestOf(changes, guessed));
}

/**
 * Returns the number of differing letters for each prefix of `said`, or undefined if the transcript is of a different
 * text.
 */
function fitOf(
  said: readonly string[],
  { understood, guessed }: { understood: readonly string[]; guessed: number },
): Uint16Array | undefined {
  if (understood.length === 0 || understood.length > LONGER_MAX * said.length) return undefined;
  const changes = changesOf(said, understood);
  const fewest = changes[bestOf(changes, guessed)]!;
  return fewest > CHANGED_MAX * understood.length ? undefined : changes;
}

/** Returns the number of letters before the position with the lowest cost. */
function bestOf(changes: ArrayLike<number>, guessed: number): number {
  const cost = (end: number): number => changes[end]! + OFF_GUESS * Math.abs(end - guessed);
  let best = 0;
  for (let end = 1; end < changes.length; end += 1) if (cost(end) < cost(best)) best = end;
  return best;
}

/** Returns the letters and digits of a text in lower case, normalized. */
const lettersOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]/gu) ?? [];

/**
 * Returns the leading words of a text. A word is included if at least the share `ENOUGH` of its letters is among the
 * first `count` letters.
 */
function firstLetters(text: string, count: number): string {
  let before = 0;
  let end = 0;
  for (const word of wordsOf(text)) {
    const letters = lettersOf(word.word).length;
    if (before + ENOUGH * letters > count) break;
    before += letters;
    end = word.end;
  }
  return count === 0 ? '' : text.slice(0, end);
}
