import type { AskedWord, Postings } from './knowledge-search.sql.ts';
import {
  impactAt,
  passageAt,
  placesOf,
  positionAt,
  POSTING_BYTES,
  type OwnedList,
  type Owner,
  type Places,
} from './posting-lists.ts';
import { isNoise } from './question-words.ts';

/**
 * This module determines how much of a question each passage contains. It runs in JavaScript, because SQL was ten times
 * slower in measurements. To sum lists of thousands of positions, SQL needs a hash table of rows, whereas JavaScript
 * needs only a loop over numbers.
 */

/** A word of a question, with all the ways in which passages may contain it. */
export type Term = {
  /** Stem of the word in the question. */
  asked: string;
  /** Whether the word is part of the question itself, not only of its context. */
  counts: boolean;
  /** Inverse document frequency: rare words weigh most. */
  weight: number;
  /** Number of passages that contain the word. */
  df: number;
  /** Stems that match the term, closest first. The list is empty if no passage contains the word or a similar one. */
  ways: readonly Way[];
};

/** A stem that matches a term: the word itself, the word as stemmed in another language, a correction or a synonym. */
export type Way = {
  lexeme: string;
  /** How well the stem matches the term: 1 for the word of the question itself, less for a correction or synonym. */
  closeness: number;
  /** Posting lists as in `LexemePostings`; `null` if too many passages contain the word to list them. */
  lists: Buffer | null;
};

/**
 * A passage that may be a hit. `points` is its BM25F score for the words of the question and, with a low weight, those
 * of its context. `about` is the same score without the context.
 */
export type Candidate = { ownerId: string; position: number; points: number; about: number };

/**
 * Weight factor for a word that no passage contains. It is above 1, because such a word is probably the subject of the
 * question.
 */
const UNKNOWN = 1.2;
/**
 * Weight factor for words from the context of the question. They affect only the order of the hits, and not whether a
 * passage is found.
 */
const CONTEXT = 0.1;

/** Returns the terms of a question with their index entries. Leaves out meaningless words. */
export function termsOf(words: readonly AskedWord[], postings: Postings): Term[] {
  const terms = new Map<string, Term>();
  for (const number of new Set(words.map(({ term }) => term))) {
    const stems = postings.asked.filter(({ term }) => term === number).map((one) => one.lexeme);
    const term = stems.length > 0 && termOf(number, { words, stems, postings });
    // Words with the same stems are searched for only once.
    const key = stems.toSorted().join(' ');
    if (term && !terms.has(key)) terms.set(key, term);
  }
  return [...terms.values()];
}

function termOf(
  number: number,
  { words, stems, postings }: { words: readonly AskedWord[]; stems: string[]; postings: Postings },
): Term | undefined {
  const { passages, meant, lexemes, stopped } = postings;
  const asked = stems[0]!;
  const ways = meant
    .filter(({ term }) => term === number)
    .sort((a, b) => b.closeness - a.closeness)
    .map((way) => ({ ...lexemes.find(({ lexeme }) => lexeme === way.lexeme)!, ...way }));
  // A word counts as noise only if no passage contains it, because even a word such as "id" may be a term in the
  // content.
  if (ways.length === 0 && (stopped.includes(number) || isNoise(asked))) return undefined;
  const closest = ways.filter(({ closeness }) => closeness === ways[0]!.closeness);
  const df = Math.max(0, ...closest.map((way) => way.df));
  const rarity = Math.log(1 + (passages + 0.5) / (df + 0.5));
  const { counts } = words.find(({ term }) => term === number)!;
  return { asked, counts, weight: ways.length === 0 ? UNKNOWN * rarity : rarity, df, ways };
}

/**
 * Returns the passages with the most points, at most `limit`, best first. Also returns the best answers to gaps, at
 * most `answers`, so that an answer to exactly this question is found even if many other passages contain its words.
 */
export function rankPassages(
  terms: readonly Term[],
  { limit, answers }: { limit: number; answers: number },
): { best: Candidate[]; answers: Candidate[] } {
  const places = placesOf(terms.flatMap(({ ways }) => ways.flatMap(({ lists }) => lists ?? [])));
  const { count } = places;
  const sums = {
    about: new Float64Array(count),
    points: new Float64Array(count),
    taken: new Int32Array(count),
  };
  terms.forEach((term, at) => addTerm(sums, { term, number: at + 1, places }));
  const candidateAt = (place: number): Candidate => ({
    ...passageAt(places, place),
    about: sums.about[place]!,
    points: sums.points[place]!,
  });
  const ofAnswers = places.owners.filter(({ isAnswers }) => isAnswers).map(rangeOf);
  return {
    best: highest(sums, { limit, ranges: [{ from: 0, to: count }] }).map(candidateAt),
    answers: highest(sums, { limit: answers, ranges: ofAnswers }).map(candidateAt),
  };
}

/**
 * Sums of scores, to which one term after another is added. All three arrays are indexed by place, the number that
 * `placesOf` assigns to a passage. `taken` holds the number of the last term that was added at a place, so that no term
 * counts twice for a passage.
 */
type Sums = { about: Float64Array; points: Float64Array; taken: Int32Array };
type Numbered = { term: Term; number: number; places: Places };

function addTerm(sums: Sums, { term, number, places }: Numbered): void {
  for (const { closeness, lists: bytes } of term.ways) {
    if (bytes === null) continue;
    const points = term.weight * closeness * (term.counts ? 1 : CONTEXT);
    const about = term.counts ? points : 0;
    for (const list of places.lists.get(bytes)!) {
      addList(sums, { ...list, bytes, number, points, about });
    }
  }
}

type Added = OwnedList & { bytes: Buffer; number: number; points: number; about: number };

/**
 * Adds the points of one posting list. The lists of a term are added in order of closeness. If a passage matches the
 * term in several ways, only the first and therefore closest way counts.
 */
function addList(
  { taken, about, points }: Sums,
  { owner: { base }, bytes, from, to, number, ...worth }: Added,
): void {
  for (let at = from; at < to; at += POSTING_BYTES) {
    const place = base + positionAt(bytes, at);
    if (taken[place] === number) continue;
    taken[place] = number;
    const impact = impactAt(bytes, at);
    points[place]! += worth.points * impact;
    about[place]! += worth.about * impact;
  }
}

type Range = { from: number; to: number };

function rangeOf({ base, lowest, highest: last }: Owner): Range {
  return { from: base + lowest, to: base + last + 1 };
}

/** Returns the places (see `placesOf`) of the passages that contain a word of the question, highest points first. */
function highest(
  { about, points }: Sums,
  { limit, ranges }: { limit: number; ranges: readonly Range[] },
): number[] {
  let top: number[] = [];
  let least = 0;
  const byPoints = (a: number, b: number): number => points[b]! - points[a]!;
  for (const { from, to } of ranges) {
    for (let place = from; place < to; place += 1) {
      if (about[place] === 0 || points[place]! <= least) continue;
      top.push(place);
      if (top.length < limit * 4) continue;
      top = top.sort(byPoints).slice(0, limit);
      least = points[top.at(-1)!]!;
    }
  }
  return top.sort(byPoints).slice(0, limit);
}
