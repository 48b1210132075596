import { stem } from 'porter2';
import { questionText } from '../../../knowledge/passages/question-words.ts';

/** So much of a sentence must be in the passage: its words, one of several passages less for each. */
const SHARE_MIN = 0.2;
/** One word may be chance. */
const WORDS_MIN = 2;

/**
 * The passages that an answer was drawn from, in their order. Each of its sentences is given to the
 * passage that shares most words with it, if that is enough; words of the question count nothing, for
 * every passage that was found has them. How often that is right: docs/conversations.md.
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

/** The index of the set that has most of the words; undefined: none has enough of them. */
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
