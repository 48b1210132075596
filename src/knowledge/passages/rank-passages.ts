import type { PostingRow } from './knowledge-search.sql.ts';

/**
 * Which passages have how much of a question. In this process, not in SQL: adding up lists of
 * thousands of positions is a loop over numbers here and a hash table of rows there, which was
 * measured ten times slower.
 */

/** A word that is looked for, and its weight. */
export type Term = {
  lexeme: string | null;
  counts: boolean;
  /** Inverse frequency: rare words say most. */
  weight: number;
  closeness: number;
  lists: readonly { ownerId: string; positions: Buffer }[];
  /** It is in too many passages to list any. */
  isUnwalked: boolean;
};

/**
 * `found`: the weight of the question's words in it; `points`: with those of the text around it.
 */
export type Candidate = { ownerId: string; position: number; points: number; found: number };

/** A word that is in no passage is probably what the question is about. */
const UNKNOWN = 1.2;
/** Words around the question count so much, and for the order only. */
const CONTEXT = 0.1;

/** The rows of a question, word by word. */
export function termsOf(rows: readonly PostingRow[]): Term[] {
  const terms = new Map<string, Term & { lists: { ownerId: string; positions: Buffer }[] }>();
  rows.forEach((row, at) => {
    const { lexeme, counts, closeness, df, passages, ownerId, positions } = row;
    // A word and another one corrected to it are two terms; so is each unknown word.
    const key = lexeme === null ? `?${at}` : `${lexeme} ${closeness} ${counts}`;
    const known = terms.get(key);
    const list = ownerId === null || positions === null ? [] : [{ ownerId, positions }];
    if (known) {
      known.lists.push(...list);
      known.isUnwalked &&= positions === null;
      return;
    }
    const rarity = Math.log(1 + (passages + 0.5) / (df + 0.5));
    const weight = lexeme === null ? UNKNOWN * rarity : rarity;
    const isUnwalked = ownerId !== null && positions === null;
    terms.set(key, { lexeme, counts, weight, closeness, lists: list, isUnwalked });
  });
  return [...terms.values()];
}

/** The passages with the most points, at most `limit`, best first. */
export function rankPassages(terms: readonly Term[], limit: number): Candidate[] {
  const owners = new Set(terms.flatMap(({ lists }) => lists.map(({ ownerId }) => ownerId)));
  const best = [...owners].flatMap((ownerId) => bestOf(ownerId, terms, limit));
  return best.sort((a, b) => b.points - a.points).slice(0, limit);
}

type List = { positions: Buffer; worth: number; counts: boolean };

/** The positions of an owner are dense enough for an array: a new index numbers them in one run. */
function bestOf(ownerId: string, terms: readonly Term[], limit: number): Candidate[] {
  const lists = terms.flatMap(({ lists: all, weight, closeness, counts }): List[] =>
    all
      .filter((list) => list.ownerId === ownerId)
      .map(({ positions }) => ({ positions, worth: weight * closeness, counts })),
  );
  const first = Math.min(...lists.map(({ positions }) => positions.readInt32BE(0)));
  const last = Math.max(
    ...lists.map(({ positions }) => positions.readInt32BE(positions.length - 4)),
  );
  const found = new Float64Array(last - first + 1);
  const around = new Float64Array(last - first + 1);
  for (const { positions, worth, counts } of lists) {
    const sums = counts ? found : around;
    for (let at = 0; at < positions.length; at += 4) {
      const place = positions.readInt32BE(at) - first;
      sums[place] = sums[place]! + worth;
    }
  }
  return highest(found, around, limit).map((place) => ({
    ownerId,
    position: first + place,
    found: found[place]!,
    points: pointsOf(found, around, place),
  }));
}

/** The places with any word of the question, by points. */
function highest(found: Float64Array, around: Float64Array, limit: number): number[] {
  let top: number[] = [];
  let least = 0;
  const byPoints = (a: number, b: number): number =>
    pointsOf(found, around, b) - pointsOf(found, around, a);
  for (let place = 0; place < found.length; place += 1) {
    if (found[place] === 0 || pointsOf(found, around, place) <= least) continue;
    top.push(place);
    if (top.length < limit * 4) continue;
    top = top.sort(byPoints).slice(0, limit);
    least = pointsOf(found, around, top.at(-1)!);
  }
  return top.sort(byPoints).slice(0, limit);
}

function pointsOf(found: Float64Array, around: Float64Array, place: number): number {
  return found[place]! + CONTEXT * around[place]!;
}
