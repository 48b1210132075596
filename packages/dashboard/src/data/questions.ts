import type { Gap } from './knowledge.ts';

/**
 * A question that users asked, with the gaps that it caused across all agents. Questions that differ only in letter
 * case, punctuation or word order count as one question.
 */
export type Question = {
  /** ID of the gap whose question was asked most recently. */
  id: string;
  text: string;
  /** The gaps of the question, most recently asked first. */
  gaps: readonly Gap[];
  count: number;
  lastAskedAt: number;
  topScore: number;
};

/** Groups gaps by question. Returns the questions sorted by how often and then by how recently they were asked. */
export function questionsOf(gaps: readonly Gap[]): Question[] {
  const byWords = Map.groupBy(gaps, ({ question }) => wordsOf(question));
  return [...byWords.values()].map(questionOf).toSorted(inOrder);
}

/** Compares questions as the API does: letter case, punctuation and word order do not matter. */
export function isSameQuestion(one: string, other: string): boolean {
  return wordsOf(one) === wordsOf(other);
}

function wordsOf(question: string): string {
  const words = question
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words ? words.toSorted().join(' ') : question;
}

function questionOf(group: readonly Gap[]): Question {
  const gaps = group.toSorted((one, other) => other.last_asked_at - one.last_asked_at);
  const [last] = gaps as [Gap, ...Gap[]]; // A group has at least one gap.
  return {
    id: last.id,
    text: last.question,
    gaps,
    count: gaps.reduce((sum, { count }) => sum + count, 0),
    lastAskedAt: last.last_asked_at,
    topScore: Math.max(...gaps.map(({ top_score: score }) => score)),
  };
}

function inOrder(one: Question, other: Question): number {
  return other.count - one.count || other.lastAskedAt - one.lastAskedAt;
}
