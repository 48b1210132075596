import { stem } from 'porter2';
import { isEmptyStem } from '../question-words.ts';

/**
 * This module compares a question with the heading of a passage, if the heading is a question too. The result is the
 * cosine similarity of their words, weighted by how rare they are among headings (Salton and Buckley 1988). Words such
 * as *how*, *when* and *can* are included, because they distinguish one question from another.
 */

/** A question and headings, as words in the form that `sentenceText` returns. */
export type Likened = {
  question: string;
  /** Headings of all candidates; '' if a candidate has none. */
  headings: readonly string[];
};

/** Index entry for a word of the question. */
export type KnownWord = {
  /** Number of passages that contain the word. */
  df: number;
  /** Stems of synonyms and corrections, which count as the same word. */
  ways: readonly { lexeme: string }[];
};

/**
 * Returns the likeness of each heading to the question, from 0 to 1, in the order of the headings. `passages` is the
 * number of passages searched.
 */
export function likenessOf(
  { question, headings }: Likened,
  { known, passages }: { known: ReadonlyMap<string, KnownWord>; passages: number },
): number[] {
  const asked = stemsOf(question);
  const stems = headings.map(stemsOf);
  const rarity = rarityAmong(stems, { known, passages });
  const length = lengthOf(asked, rarity);
  return stems.map((heading) => {
    if (heading.size === 0 || length === 0) return 0;
    let product = 0;
    for (const word of asked) {
      const way = wayIn(heading, word, known.get(word));
      if (way !== undefined) product += rarity(word) * rarity(way);
    }
    return Math.min(1, product / (length * lengthOf(heading, rarity)));
  });
}

function stemsOf(words: string): Set<string> {
  return new Set(words === '' ? [] : words.split(' ').map((word) => stem(word)));
}

function wayIn(
  heading: ReadonlySet<string>,
  word: string,
  known: KnownWord | undefined,
): string | undefined {
  if (heading.has(word)) return word;
  return known?.ways.find(({ lexeme }) => heading.has(lexeme))?.lexeme;
}

function lengthOf(words: ReadonlySet<string>, rarity: (word: string) => number): number {
  let sum = 0;
  for (const word of words) sum += rarity(word) ** 2;
  return Math.sqrt(sum);
}

/**
 * Number of imaginary headings that are added to the sample, so that in a small sample neither stop words look rare nor
 * other words look frequent. They contain only stop words, and each stop word is in `SHARE_OF_EMPTY` of these headings.
 */
const UNSEEN_HEADINGS = 10;
const SHARE_OF_EMPTY = 0.2;
const UNSEEN_PASSAGES = 50;

/**
 * Returns a function that computes the rarity of a word from an estimate of how many of all headings contain it.
 * Candidates are passages that contain words of the question, so they are not a random sample. For a rare word of the
 * question, all its passages are candidates, and its count is exact. For a frequent word of the question, the count
 * among the candidates is scaled up to all its passages. For other words, the candidates serve as a sample.
 */
function rarityAmong(
  headings: readonly ReadonlySet<string>[],
  { known, passages }: { known: ReadonlyMap<string, KnownWord>; passages: number },
): (word: string) => number {
  const counts = new Map<string, number>();
  for (const heading of headings) {
    for (const word of heading) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const seen = Math.max(1, headings.length);
  const all = passages + UNSEEN_PASSAGES;
  return (word) => {
    const count = counts.get(word) ?? 0;
    const asked = known.get(word);
    const empty = isEmptyStem(word) ? SHARE_OF_EMPTY * UNSEEN_HEADINGS : 0;
    const have = asked
      ? (count * Math.max(seen, asked.df)) / seen
      : (all * (count + empty)) / (seen + UNSEEN_HEADINGS);
    return 1 + Math.log((1 + all) / (1 + Math.min(all, have)));
  };
}
