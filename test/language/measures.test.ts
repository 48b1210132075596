import { describe, expect, test } from 'vitest';
import { auroc, decided, recallAt } from './measures.ts';

describe('figures of a search', () => {
  test('recall counts ranks from one, and what is not found as missed', () => {
    const ranks = [1, 2, 4, undefined];
    expect([1, 2, 3, 4].map((k) => recallAt(k, ranks))).toEqual([0.25, 0.5, 0.5, 0.75]);
  });

  test('a decision has precision, recall and their harmonic mean', () => {
    const one = (is: boolean, said: boolean) => ({ is, said, score: 0 });
    const { precision, recall, f1 } = decided([
      one(true, true),
      one(true, false),
      one(true, false),
      one(false, true),
      one(false, false),
    ]);
    expect([precision, recall]).toEqual([1 / 2, 1 / 3]);
    expect(f1).toBeCloseTo(0.4);
  });

  test('the area under the curve: pairs in the right order, equal ones half', () => {
    const one = (is: boolean, score: number) => ({ is, score });
    expect(auroc([one(true, 0.9), one(true, 0.5), one(false, 0.5), one(false, 0.1)])).toBe(0.875);
  });
});
