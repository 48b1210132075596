import type { Term } from '../rank-passages.ts';

/** Explanation of why a search chose a passage. */
export type Why = {
  /** Words of the question that the passage contains, heaviest first. */
  matched: {
    /** Stem of the word in the question. */
    word: string;
    /** Stem in the passage that matches the word: the same stem, a correction, or a synonym. */
    as: string;
    in: 'heading' | 'text' | 'both';
    /**
     * Weight of the word as a share of the question's weight, from 0 to 1. It is lower if the passage contains only a
     * synonym or a correction of the word.
     */
    weight: number;
  }[];
  /** Words of the question that the passage does not contain. */
  missing: string[];
  /** Likeness of the question and the heading, from 0 to 1; `null` if the heading is not a question. */
  likeness: number | null;
};

/**
 * Impact that is assumed for a word whose postings are not listed, because too many passages contain it. It equals one
 * occurrence in a passage of usual length.
 */
const USUAL = 0.45;

/**
 * Explains a hit. `coverage` is the share of the question's weight that belongs to words in the passage. `unlisted` is
 * the assumed weight of the words whose postings were not listed.
 */
export function whyOf(
  question: readonly Term[],
  passage: { inHeading: readonly string[]; inText: readonly string[]; likeness: number | null },
): { why: Why; coverage: number; unlisted: number } {
  const asked = question.reduce((sum, { weight }) => sum + weight, 0);
  const [heading, text] = [new Set(passage.inHeading), new Set(passage.inText)];
  const matched: Why['matched'] = [];
  const missing: string[] = [];
  let unlisted = 0;
  for (const { asked: word, weight, ways } of question) {
    const way = ways.find(({ lexeme }) => heading.has(lexeme) || text.has(lexeme));
    if (!way) {
      missing.push(word);
      continue;
    }
    const { lexeme, closeness, lists } = way;
    const isBoth = heading.has(lexeme) && text.has(lexeme);
    const place = isBoth ? 'both' : heading.has(lexeme) ? 'heading' : 'text';
    matched.push({ word, as: lexeme, in: place, weight: (weight * closeness) / asked });
    if (lists === null) unlisted += USUAL * weight * closeness;
  }
  matched.sort((a, b) => b.weight - a.weight);
  const coverage = Math.min(
    1,
    matched.reduce((sum, { weight }) => sum + weight, 0),
  );
  return { why: { matched, missing, likeness: passage.likeness }, coverage, unlisted };
}
