import { changesOf } from './changes-of.ts';
import { wordsOf } from './words.ts';

/**
 * How much of a sentence was heard, by what a recognizer understood of the sound of it that was played, and of the rest.
 * It mishears, writes numbers in its own way, makes a whole word of a half one and goes on where the sound ends, so its
 * letters are laid on the beginning and the end of the sentence that they fit best; a guess decides between places that
 * fit alike. How often that is right, on texts of others: docs/evaluation.md.
 */

/** What a recognizer understood; undefined: it did not, or was not asked. */
type Understood = { played: string | undefined; rest: string | undefined };

/** What a letter between the guess and a place weighs, beside one that has to be changed to fit. */
const OFF_GUESS = 0.5;
/** Of what was understood, so many letters may have to be changed: beyond that it is of something else. */
const CHANGED_MAX = 1 / 2;
/** Of a word, its letters: half of one is often understood as a whole one that begins alike. */
const ENOUGH = 3 / 4;
/** Nobody says a text in so many times its letters; the cost is the product of the two. */
const LONGER_MAX = 2;

/**
 * The words of a text that were heard, with the marks behind them; undefined: what was understood does not tell.
 * `guess`: as many of its words as are likely.
 */
export function textRecognized(
  text: string,
  { played, rest, guess }: Understood & { guess: string },
): string | undefined {
  const said = lettersOf(text);
  const guessed = lettersOf(guess).length;
  const before = fitOf(said, { understood: lettersOf(played ?? ''), guessed });
  // An end is a beginning, read backwards.
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

/** How many letters have to be changed for each beginning; undefined: what was understood is of something else. */
function fitOf(
  said: readonly string[],
  { understood, guessed }: { understood: readonly string[]; guessed: number },
): Uint16Array | undefined {
  if (understood.length === 0 || understood.length > LONGER_MAX * said.length) return undefined;
  const changes = changesOf(said, understood);
  const fewest = changes[bestOf(changes, guessed)]!;
  return fewest > CHANGED_MAX * understood.length ? undefined : changes;
}

/** Behind which letter a place is best. */
function bestOf(changes: ArrayLike<number>, guessed: number): number {
  const cost = (end: number): number => changes[end]! + OFF_GUESS * Math.abs(end - guessed);
  let best = 0;
  for (let end = 1; end < changes.length; end += 1) if (cost(end) < cost(best)) best = end;
  return best;
}

/** Letters and digits alone, however they are set. */
const lettersOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]/gu) ?? [];

/** The words of which enough is among the first letters of a text. */
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
