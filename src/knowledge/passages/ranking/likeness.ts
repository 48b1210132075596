import { stem } from 'porter2';
import { isEmptyStem } from '../question-words.ts';

/**
 * How alike a question and the heading of a passage are, where that is a question itself: the cosine of
 * their words, weighed by how rare they are among headings (Salton and Buckley 1988). Words such as *how*,
 * *when* and *can* count here as all others do: they are what tells one question from the next.
 */

/** In words as `searchableText` has them. */
export type Likened = {
  question: string;
  /** Of all candidates; '' for none. */
  headings: readonly string[];
};

/** What is known of the words of the question, by their stems. */
export type KnownWord = {
  /** Passages that have it. */
  df: number;
  /** Stems that mean about the same, or are probably meant. Between two questions they are the same. */
  ways: readonly { lexeme: string }[];
};

/** From 0 to 1, in the order of the headings. `passages`: how many are searched. */
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

/** Of few headings little is learnt: so many more are thought of, which have none of the words but empty ones. */
const UNSEEN_HEADINGS = 10;
const SHARE_OF_EMPTY = 0.2;
const UNSEEN_PASSAGES = 50;

/**
 * How rare a word is among the headings of all passages, estimated from those of the candidates. They were
 * chosen for having words of the question: all that have a rare one are among them, so that one is counted,
 * and of a frequent one they are a part that is known. Of other words they are a sample.
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
