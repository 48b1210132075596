import { wordsOf } from './words.ts';

/**
 * How much of a sentence was heard, by its sound alone: providers do not tell when they say which word. A word
 * takes as long as its letters and syllables, longer before a mark, and where the voice pauses is a mark in the
 * text. How often that is right, on texts of others and in several languages: docs/evaluation.md.
 */

/** The sound of a sentence, in frames of 20 ms in which something is said. */
export type Speech = {
  heard: number;
  /** Of the whole sentence, heard or not. */
  all: number;
  /** After how many of them the voice pauses. */
  pauses: readonly number[];
};

type Word = {
  /** Of the text up to the word and the marks behind it, in characters. */
  end: number;
  /** How long it takes, and all before it, beside other words. */
  weight: number;
  before: number;
  /** A mark follows, at which a voice may pause. */
  isMarked: boolean;
};

/** Who has heard so much of a word knows it; so a guess is as often too long as too short. */
const ENOUGH = 1 / 2;

/** The words of a text that were heard, with the marks behind them. */
export function textHeard(text: string, speech: Speech): string {
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

/** Between two words: so many are before it, of that weight, and so many frames. */
type Place = { word: number; weight: number; frame: number };

/** The frame of a weight between two places, between which a voice speaks evenly. */
const frameOf = (weight: number, from: Place, to: Place): number =>
  from.frame + ((weight - from.weight) / (to.weight - from.weight)) * (to.frame - from.frame);

/** The text from pause to pause. */
function stretchesOf(
  words: readonly Word[],
  { all, pauses }: Speech,
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

/** In frames, for the square root of how many there are on its shorter side: so the guess of a place spreads. */
const SPREAD = 2;

/** How many words are before the mark at which this pause is, if it is at one. */
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

/** Before a pause a voice lingers. */
const LINGERS = 2;
/** What is read out as a word, or as letters of their names; in letters that are spoken. */
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
