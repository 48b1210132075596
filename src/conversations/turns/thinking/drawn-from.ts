import { stem } from 'porter2';
import { questionText } from '../../../knowledge/passages/question-words.ts';

/**
 * Minimum share of a sentence's words that a passage must contain. A word that n of the passages contain counts as 1/n.
 */
const SHARE_MIN = 0.2;
/** Minimum number of shared words, because a single shared word may be coincidence. */
const WORDS_MIN = 2;

/**
 * Returns the passages that an answer is based on, in their order. Each sentence of the answer is assigned to the
 * passage that shares the most words with it, if it shares enough. Words of the question do not count, because most of
 * the passages that were found contain them. docs/conversations.md reports how often the result is right.
 */
export function drawnFrom<P extends { heading: string; text: string }>(
  answer: string,
  passages: readonly P[],
  question: string,
): P[] {
  if (passages.length === 0) return [];
  const asked = stemsOf(question);
  const wordsOf = passages.map(({ heading, text }) => stemsOf(`${heading} ${text}`));
  const drawn = sentencesOf(answer).map((sentence) => {
    const said = [...stemsOf(sentence)].filter((word) => !asked.has(word));
    return nearest(said, wordsOf);
  });
  return passages.filter((_, at) => drawn.includes(at));
}

/**
 * Returns the index of the passage that contains the largest share of the words, or undefined if no passage contains
 * enough. `sets` are the words of the passages.
 */
function nearest(
  said: readonly string[],
  sets: readonly ReadonlySet<string>[],
): number | undefined {
  const weights = said.map((word) => 1 / sets.filter((set) => set.has(word)).length);
  const shares = sets.map((set) =>
    said.reduce((sum, word, at) => (set.has(word) ? sum + (weights[at] ?? 0) : sum), 0),
  );
  const share = Math.max(...shares);
  const best = shares.indexOf(share);
  const shared = said.filter((word) => sets[best]?.has(word)).length;
  return shared >= WORDS_MIN && share >= SHARE_MIN * said.length ? best : undefined;
}

function stemsOf(text: string): ReadonlySet<string> {
  return new Set(
    questionText(text)
      .split(' ')
      .filter(Boolean)
      .map((word) => stem(word)),
  );
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesOf(text: string): string[] {
  return [...SENTENCES.segment(text)].map(({ segment }) => segment);
}
