import type { Term } from '../rank-passages.ts';

/** Why a passage was chosen. */
export type Why = {
  /** Words of the question that it has, those that weigh most first. */
  matched: {
    /** Its stem, as it was asked. */
    word: string;
    /** The stem that stands for it in the passage: the same, one corrected, or a synonym. */
    as: string;
    in: 'heading' | 'text' | 'both';
    /** The part of the question that it is, 0 to 1; less for what is not the same word. */
    weight: number;
  }[];
  /** Those that it has not. */
  missing: string[];
  /** 0 to 1: how alike the question and its heading are; null: the heading is no question. */
  likeness: number | null;
};

/** Of a word whose passages were too many to list: as much as one in a passage of the usual length. */
const USUAL = 0.45;

/** `coverage`: the part of the question that it has; `unlisted`: the weight of words that were not listed. */
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
