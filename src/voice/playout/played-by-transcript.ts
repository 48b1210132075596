import { changesOf } from './changes-of.ts';
import { wordsOf } from './words.ts';

/**
 * Estimate of how much of a sentence was played, from a recognizer's transcripts of the played audio and of the rest. A
 * recognizer mishears, writes numbers in its own way, completes half words and invents text after the end of the audio.
 * So its letters are aligned with the beginning and the end of the sentence that they fit best. A prior guess decides
 * between positions that fit equally well. docs/evaluation.md has the accuracy on texts by others.
 */

/** Transcripts of a recognizer; undefined if it failed or was not used. */
type Understood = { played: string | undefined; rest: string | undefined };

/** Cost of a letter between the guess and a position, relative to a letter that has to be changed. */
const OFF_GUESS = 0.5;
/** Maximum share of changed letters in a transcript. Above that, it belongs to other text. */
const CHANGED_MAX = 1 / 2;
/**
 * Share of a word's letters that counts as the word: half a word is often recognized as a whole one that begins alike.
 */
const ENOUGH = 3 / 4;
/**
 * Maximum length of a transcript relative to the text. No speaker needs more, and the cost is the product of the two.
 */
const LONGER_MAX = 2;

/**
 * Returns the words of a text that were played, with the marks after them, or undefined if the transcripts are
 * inconclusive. `guess` is the likely part.
 */
export function playedByTranscript(
  text: string,
  { played, rest, guess }: Understood & { guess: string },
): string | undefined {
  const said = lettersOf(text);
  const guessed = lettersOf(guess).length;
  const before = fitOf(said, { understood: lettersOf(played ?? ''), guessed });
  // Reversed, because an end is a beginning read backwards.
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

/** Returns the number of changed letters for each beginning, or undefined if the transcript belongs to other text. */
function fitOf(
  said: readonly string[],
  { understood, guessed }: { understood: readonly string[]; guessed: number },
): Uint16Array | undefined {
  if (understood.length === 0 || understood.length > LONGER_MAX * said.length) return undefined;
  const changes = changesOf(said, understood);
  const fewest = changes[bestOf(changes, guessed)]!;
  return fewest > CHANGED_MAX * understood.length ? undefined : changes;
}

/** Returns the number of letters before the best position. */
function bestOf(changes: ArrayLike<number>, guessed: number): number {
  const cost = (end: number): number => changes[end]! + OFF_GUESS * Math.abs(end - guessed);
  let best = 0;
  for (let end = 1; end < changes.length; end += 1) if (cost(end) < cost(best)) best = end;
  return best;
}

/** Returns only letters and digits, normalized. */
const lettersOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]/gu) ?? [];

/** Returns the words that have at least ENOUGH of their letters among the first `count` of a text. */
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
