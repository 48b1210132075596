/** Figures of a search and of a decision, from 0 to 1. */

/** How many of the ranks, counted from 1, are at most `k`; undefined: it was not found. */
export function recallAt(k: number, ranks: readonly (number | undefined)[]): number {
  return ranks.filter((rank) => rank !== undefined && rank <= k).length / ranks.length;
}

/** What was said of a case, and what is so. `score`: the higher, the more it is one. */
export type Decision = { is: boolean; said: boolean; score: number };

/** F1: the harmonic mean of precision and recall. */
export function decided(decisions: readonly Decision[]): {
  precision: number;
  recall: number;
  f1: number;
} {
  const right = decisions.filter(({ is, said }) => is && said).length;
  const said = decisions.filter((one) => one.said).length;
  const are = decisions.filter((one) => one.is).length;
  return {
    precision: said === 0 ? 0 : right / said,
    recall: are === 0 ? 0 : right / are,
    f1: said + are === 0 ? 0 : (2 * right) / (said + are),
  };
}

/** How likely one that is has a higher score than one that is not; equal scores are half. */
export function auroc(decisions: readonly Pick<Decision, 'is' | 'score'>[]): number {
  const scores = (is: boolean): number[] =>
    decisions.filter((one) => one.is === is).map(({ score }) => score);
  const [are, areNot] = [scores(true), scores(false)];
  const won = are.flatMap((one) =>
    areNot.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)),
  );
  return won.reduce<number>((sum, one) => sum + one, 0) / won.length;
}
