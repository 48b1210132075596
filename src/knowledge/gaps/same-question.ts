import { wordsIn } from '../passages/phrases.ts';
import { isSynonym } from '../passages/ranking/synonyms.ts';
import english from './english.json' with { type: 'json' };

/**
 * This module decides whether two questions ask the same thing, by comparing their words. In doubt it treats them as
 * different, because a wrong match would hide a question from the people who could answer it.
 */

/** A word of a question, reduced to its stem. */
export type AskedWord = {
  stem: string;
  /** Weight of the word. Rarer words have a larger weight. */
  weight: number;
  /** Whether any passage contains the word. If so, the word is not a typing error. */
  isKnown: boolean;
};

/** Minimum share that the common words must have in the total weight of both questions. */
const SHARE_MIN = 0.7;
/**
 * Maximum weight of a word that only one of the questions has, relative to the heaviest common word. If such a word
 * weighs more, the questions count as different. If each question has a word that the other one lacks, the lower
 * maximum `OWN_WORDS_MAX` applies.
 */
const OWN_WORD_MAX = 0.95;
const OWN_WORDS_MAX = 0.6;
/** Closeness, from 0 to 1, of a mistyped word to the correct one, and of two words from the same root. */
const TYPED_WRONG = 0.9;
const RELATED = 0.9;
/** Closeness of two synonyms, from 0 to 1. */
const SYNONYM = 0.8;

/**
 * Returns the similarity of two questions from 0 to 1. Returns 0 if the questions contain different numbers, or if they
 * have too few words in common. Also returns 0 if an important word of one question is missing from the other ("deliver
 * to Norway", "deliver to Sweden").
 */
export function likeness(one: readonly AskedWord[], other: readonly AskedWord[]): number {
  if (numbersOf(one) !== numbersOf(other)) return 0;
  const pairs = pairsOf(one, other);
  const own = unpaired(one, pairs, 0);
  const theirs = unpaired(other, pairs, 1);
  const common = Math.max(0, ...pairs.map(({ words: [a, b] }) => Math.min(a.weight, b.weight)));
  const isTwoSided = own.length > 0 && theirs.length > 0;
  const heaviest = Math.max(0, ...[...own, ...theirs].map(({ weight }) => weight));
  if (heaviest > common * (isTwoSided ? OWN_WORDS_MAX : OWN_WORD_MAX)) return 0;
  const shared = sum(
    pairs.map(({ words: [a, b], closeness }) => (a.weight + b.weight) * closeness),
  );
  const share = shared / sum([...one, ...other].map(({ weight }) => weight));
  return share >= SHARE_MIN ? share : 0;
}

/**
 * Counts the words that two questions have in common. Words with the same root, synonyms and mistyped words count too.
 */
export function commonWords(one: readonly string[], other: readonly string[]): number {
  const asked = (stem: string): AskedWord => ({ stem, weight: 1, isKnown: false });
  return pairsOf(one.map(asked), other.map(asked)).length;
}

type Pair = { words: readonly [AskedWord, AskedWord]; closeness: number };

/**
 * Pairs the words of two questions: first equal words, then words with the same root, synonyms and mistyped words. Each
 * word is in at most one pair.
 */
function pairsOf(one: readonly AskedWord[], other: readonly AskedWord[]): Pair[] {
  const pairs: Pair[] = [];
  for (const [isLike, closeness] of [
    [isSame, 1],
    [isRelated, RELATED],
    [isSynonymous, SYNONYM],
    [isTypedWrong, TYPED_WRONG],
  ] as const) {
    for (const word of unpaired(one, pairs, 0)) {
      const like = unpaired(other, pairs, 1).find((candidate) => isLike(word, candidate));
      if (like) pairs.push({ words: [word, like], closeness });
    }
  }
  return pairs;
}

function unpaired(words: readonly AskedWord[], pairs: readonly Pair[], side: 0 | 1): AskedWord[] {
  return words.filter((word) => !pairs.some((pair) => pair.words[side] === word));
}

function isSame(one: AskedWord, other: AskedWord): boolean {
  return one.stem === other.stem;
}

const ENDINGS = wordsIn(english.endings);
const ROOT_CHARS_MIN = 3;

/** Returns true for stems with the same root, such as deliver and delivery, or pay and payment. */
function isRelated(one: AskedWord, other: AskedWord): boolean {
  const [short, long] = [one.stem, other.stem].toSorted((a, b) => a.length - b.length);
  if (short!.length < ROOT_CHARS_MIN || !long!.startsWith(short!)) return false;
  return ENDINGS.has(long!.slice(short!.length));
}

/** Returns true for stems of synonyms, such as rent and hire, or parcel and package. */
function isSynonymous(one: AskedWord, other: AskedWord): boolean {
  return isSynonym(one.stem, other.stem);
}

/**
 * Minimum length of a word that may be mistyped. Shorter similar words are too often different words, such as "boot"
 * and "book".
 */
const TYPED_CHARS_MIN = 5;

/**
 * Returns true if one word results from the other by leaving out a letter or swapping two adjacent letters. A replaced
 * letter does not count, because it turns "shirts" into "shorts". The first letter must match: it is rarely mistyped
 * and often distinguishes words ("Gambia", "Zambia").
 */
function isTypedWrong(one: AskedWord, other: AskedWord): boolean {
  if (one.isKnown && other.isKnown) return false;
  const [short, long] = [one.stem, other.stem].toSorted((a, b) => a.length - b.length);
  if (short!.length < TYPED_CHARS_MIN || short![0] !== long![0] || hasDigit(long!)) return false;
  if (long!.length === short!.length) return isSwapped(short!, long!);
  return isLeftOut(short!, long!);
}

function isLeftOut(short: string, long: string): boolean {
  const at = firstDifference(short, long);
  return short.slice(at) === long.slice(at + 1);
}

function isSwapped(one: string, other: string): boolean {
  const at = firstDifference(one, other);
  const swapped = one.slice(0, at) + (one[at + 1] ?? '') + one[at]! + one.slice(at + 2);
  return swapped === other;
}

/**
 * Returns the index of the first character in which two words differ. If `other` begins with `one`, returns the length
 * of `one`.
 */
function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function numbersOf(words: readonly AskedWord[]): string {
  const numbers = words.filter(({ stem }) => hasDigit(stem)).map(({ stem }) => stem);
  return numbers.toSorted().join(' ');
}

function hasDigit(stem: string): boolean {
  return /\p{N}/u.test(stem);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
