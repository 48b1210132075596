import { wordsOf } from './words.ts';

/**
 * Estimates how much of a sentence was played. The estimate uses only the audio and the text, because providers do not
 * report the times of words. The duration of a word is estimated from its letters and syllables. Words before
 * punctuation last longer. A pause in the audio indicates punctuation. docs/evaluation.md reports the accuracy for
 * third-party texts and for several languages.
 */

/** Amount of speech in the audio of a sentence. All numbers count 20 ms frames that contain speech. */
export type SpokenFrames = {
  heard: number;
  /** Number of frames of the whole sentence, played or not. */
  all: number;
  /** For each pause, the number of frames before it. */
  pauses: readonly number[];
};

type Word = {
  /** Position in the text where the word and the punctuation after it end, in characters. */
  end: number;
  /** Estimated relative duration of the word (`weight`) and of all words before it (`before`). */
  weight: number;
  before: number;
  /** Whether the word is followed by punctuation, where the voice may pause. */
  isMarked: boolean;
};

/**
 * Share of a word that must have been played for the word to count as heard. With one half, the estimate is too long as
 * often as it is too short.
 */
const ENOUGH = 1 / 2;

/** Returns the words of a text that were played, with the punctuation after them. */
export function playedByDuration(text: string, speech: SpokenFrames): string {
  if (speech.heard === 0) return '';
  const words = weighed(text);
  let end = 0;
  for (const { from, to } of stretchesOf(words, speech)) {
    for (const word of words.slice(from.word, to.word)) {
      const known = frameOf(word.before + ENOUGH * word.weight, from, to);
      if (known > speech.heard) return text.slice(0, end);
      end = word.end;
    }
  }
  return text.slice(0, end);
}

/**
 * Position between two words. The fields are the number of words, their total weight, and the number of frames before
 * the position.
 */
type Place = { word: number; weight: number; frame: number };

/**
 * Returns the frame at which a weight is reached between two positions, assuming a constant speaking rate between them.
 */
const frameOf = (weight: number, from: Place, to: Place): number =>
  from.frame + ((weight - from.weight) / (to.weight - from.weight)) * (to.frame - from.frame);

/** Splits the text at the pauses that coincide with punctuation. */
function stretchesOf(
  words: readonly Word[],
  { all, pauses }: SpokenFrames,
): { from: Place; to: Place }[] {
  const stretches: { from: Place; to: Place }[] = [];
  const end = placeBehind(words, words.length, all);
  let from = placeBehind(words, 0, 0);
  for (const frame of pauses) {
    const word = markAt(words, frame, { from, to: end });
    if (word === undefined) continue;
    const to = placeBehind(words, word, frame);
    stretches.push({ from, to });
    from = to;
  }
  return [...stretches, { from, to: end }];
}

function placeBehind(words: readonly Word[], word: number, frame: number): Place {
  const last = words[word - 1];
  return { word, frame, weight: last ? last.before + last.weight : 0 };
}

/**
 * Determines how far a pause may be from the estimated position of its punctuation. The maximum distance in frames is
 * this factor times the square root of n, where n is the number of frames from the pause to the nearer end of the
 * stretch. The error of the estimate grows with the same square root.
 */
const SPREAD = 2;

/**
 * Returns the number of words before the punctuation at this pause, or undefined if the pause is not at punctuation.
 */
function markAt(
  words: readonly Word[],
  frame: number,
  { from, to }: { from: Place; to: Place },
): number | undefined {
  let nearest: { word: number; off: number } | undefined;
  for (let word = from.word + 1; word < to.word; word += 1) {
    const { before, weight, isMarked } = words[word - 1]!;
    if (!isMarked) continue;
    const off = Math.abs(frameOf(before + weight, from, to) - frame);
    if (!nearest || off < nearest.off) nearest = { word, off };
  }
  const spread = SPREAD * Math.sqrt(Math.min(frame - from.frame, to.frame - frame));
  return nearest && nearest.off < spread ? nearest.word : undefined;
}

function weighed(text: string): Word[] {
  let before = 0;
  return wordsOf(text).map(({ word, end }) => {
    const isMarked = /[^\p{L}\p{M}\p{N}]$/u.test(word);
    const weight = timeOf(word) + (isMarked ? LINGERS : 0);
    before += weight;
    return { end, weight, before: before - weight, isMarked };
  });
}

/** Weight that is added to a word before punctuation, because such words last longer. A letter has a weight of 1. */
const LINGERS = 2;
/**
 * Characters that are spoken as whole words or letter names, each with the number of ordinary letters that take as long
 * to say.
 */
const SPOKEN_AS: readonly [RegExp, number][] = [
  [/\p{N}/gu, 4],
  [/\p{scx=Hani}/gu, 4],
  [/\p{Lu}(?=\p{Lu})|(?<=\p{Lu})\p{Lu}/gu, 2.5],
];
const VOWELS = /[aeiouyаеиоуыэюяαεηιουω]+/giu;

function timeOf(word: string): number {
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '');
  const letters = plain.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const more = SPOKEN_AS.reduce(
    (sum, [what, as]) => sum + (plain.match(what)?.length ?? 0) * (as - 1),
    0,
  );
  const syllables = Math.max(1, plain.match(VOWELS)?.length ?? 0);
  return 1 + letters + more + syllables;
}
