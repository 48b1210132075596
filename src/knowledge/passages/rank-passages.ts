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
 * Which passages have how much of a question. In this process, not in SQL: adding up lists of
 * thousands of positions is a loop over numbers here and a hash table of rows there, which was
 * measured ten times slower.
 */

/** A word of a question, in all the ways in which passages have it. */
export type Term = {
  /** The stem of the word as it was asked. */
  asked: string;
  /** Whether it is part of the question, not only of the text around it. */
  counts: boolean;
  /** Inverse frequency: rare words say most. */
  weight: number;
  /** Passages that have it. */
  df: number;
  /** The closest first; none: no passage has it, or anything like it. */
  ways: readonly Way[];
};

/** A stem that stands for a term: as it was asked, in another language, corrected, or a synonym. */
export type Way = {
  lexeme: string;
  /** 1: as it was asked; less: probably meant. */
  closeness: number;
  /** As `LexemePostings` has them; null: it is in too many passages to list any. */
  lists: Buffer | null;
};

/**
 * `points`: by BM25F, how much it is about the words of the question, and a little about those of the text
 * around it; `about`: without the latter.
 */
export type Candidate = { ownerId: string; position: number; points: number; about: number };

/** A word that is in no passage is probably what the question is about. */
const UNKNOWN = 1.2;
/** Words around the question count so much, and for the order only. */
const CONTEXT = 0.1;

/** What there is of each word asked; words that say nothing are left out. */
export function termsOf(words: readonly AskedWord[], postings: Postings): Term[] {
  const terms = new Map<string, Term>();
  for (const number of new Set(words.map(({ term }) => term))) {
    const stems = postings.asked.filter(({ term }) => term === number).map((one) => one.lexeme);
    const term = stems.length > 0 && termOf(number, { words, stems, postings });
    // Two words of one stem are asked once.
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
  // Noise only when no passage has it: "id" may be one of their words.
  if (ways.length === 0 && (stopped.includes(number) || isNoise(asked))) return undefined;
  const closest = ways.filter(({ closeness }) => closeness === ways[0]!.closeness);
  const df = Math.max(0, ...closest.map((way) => way.df));
  const rarity = Math.log(1 + (passages + 0.5) / (df + 0.5));
  const { counts } = words.find(({ term }) => term === number)!;
  return { asked, counts, weight: ways.length === 0 ? UNKNOWN * rarity : rarity, df, ways };
}

/**
 * The passages with the most points, at most `limit`, best first; and of the answers to gaps `answers`, so
 * that one whose question is asked again is looked at however much else has the words.
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

/** `taken`: the number of the last term a place has. */
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

/** A passage that has a term in two ways has it once, in the closest. */
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

/** The places with any word of the question, by points. */
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
