import { wordsIn } from '../passages/phrases.ts';
import { isSynonym } from '../passages/ranking/synonyms.ts';
import english from './english.json' with { type: 'json' };

/**
 * Whether two questions ask the same, by their words. It would rather keep two ways to ask one thing apart
 * than make one of two things: a wrong pair hides a question from whoever could answer it.
 */

/** A word of a question: its stem. */
export type AskedWord = {
  stem: string;
  /** The rarer, the more. */
  weight: number;
  /** Whether a passage has it: then it is no typing error. */
  isKnown: boolean;
};

/** Of all words of both, rare ones counting more, so much has to be in both. */
const SHARE_MIN = 0.7;
/** What one of them has alone is lighter than what both have; much lighter when the other has such a word, too. */
const OWN_WORD_MAX = 0.95;
const OWN_WORDS_MAX = 0.6;
/** What a typing error counts of the word that was meant, and one word of another of its family. */
const TYPED_WRONG = 0.9;
const RELATED = 0.9;
/** What a word that means about the same counts. */
const SYNONYM = 0.8;

/**
 * From 0 to 1, how much they have in common; 0 when they ask different things: of different numbers, or when
 * the word that weighs most in one of them is not in the other ("deliver to Norway", "deliver to Sweden").
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

/** How many words they have in common, some of one of them typed wrong. */
export function commonWords(one: readonly string[], other: readonly string[]): number {
  const asked = (stem: string): AskedWord => ({ stem, weight: 1, isKnown: false });
  return pairsOf(one.map(asked), other.map(asked)).length;
}

type Pair = { words: readonly [AskedWord, AskedWord]; closeness: number };

/** Each word with its like in the other question, those that are alike first. */
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

/** Deliver and delivery, pay and payment: stems of one root. */
function isRelated(one: AskedWord, other: AskedWord): boolean {
  const [short, long] = [one.stem, other.stem].toSorted((a, b) => a.length - b.length);
  if (short!.length < ROOT_CHARS_MIN || !long!.startsWith(short!)) return false;
  return ENDINGS.has(long!.slice(short!.length));
}

/** Rent and hire, parcel and package. */
function isSynonymous(one: AskedWord, other: AskedWord): boolean {
  return isSynonym(one.stem, other.stem);
}

/** Shorter words are too often others: "boot" and "book". */
const TYPED_CHARS_MIN = 5;

/**
 * A letter left out, or two swapped; not one for another, which makes "shorts" of "shirts". The first letter
 * is seldom wrong, and often makes another word: "Gambia", "Zambia".
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

/** Of two that differ; the length of the first when the other only goes on. */
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
