/**
 * Sums over the observations of one arm (the old or the new version) in one step. An observation has a weight `q` and a
 * total `x`, and the metric of the arm is Σx / Σq. A share of conversations or a mean rating has q = 1. For a share of
 * questions or of tool calls, q is their number in the conversation. The conversation stays the unit of observation,
 * because its questions are not independent of each other.
 */
export type ArmSums = {
  count: number;
  x: number;
  q: number;
  xx: number;
  xq: number;
  qq: number;
};

/** The two arms of one step. Within a step, both arms get conversations during the same period. */
export type Stratum = { from: ArmSums; to: ArmSums };

export type Estimate = { difference: number; variance: number };

export const NO_OBSERVATIONS: ArmSums = { count: 0, x: 0, q: 0, xx: 0, xq: 0, qq: 0 };

/** Returns the sums with one more observation. In production, the database computes the sums; simulations use this. */
export function observe(sums: ArmSums, x: number, q = 1): ArmSums {
  return {
    count: sums.count + 1,
    x: sums.x + x,
    q: sums.q + q,
    xx: sums.xx + x * x,
    xq: sums.xq + x * q,
    qq: sums.qq + q * q,
  };
}

/** Returns Σx / Σq, or `null` if there are no observations. */
export function figureOf({ x, q }: ArmSums): number | null {
  return q === 0 ? null : x / q;
}

/**
 * Number of imaginary observations that are added to each arm, with the largest possible variance. They prevent a
 * sample of equal values, such as three ratings of 5, from looking certain. Agresti and Coull add four for a
 * proportion.
 */
const PRIOR_COUNT = 4;

/**
 * Estimates the difference between the two arms (`to` minus `from`) over all steps, and its variance. Returns
 * `undefined` while no step has observations in both arms.
 *
 * The arms are compared within each step, because the share of conversations on the new version changes between steps,
 * and the base rate changes with the hour. Pooled arms would differ by the time of day (Simpson's paradox). The steps
 * are combined with the weights h = n₁n₀/(n₁+n₀), which give the smallest variance and depend on no outcome:
 *
 *     Δ = Σ h (R₁ − R₀) / Σ h          Var Δ = Σ h² (v₁/n₁ + v₀/n₀) / (Σ h)²
 *
 * with R = Σx/Σq of an arm, and v the variance of its residuals (x − Rq) / q̄ (delta method). `range` is the distance
 * between the largest and the smallest value that one observation can have per unit of q.
 *
 * Sources: Cochran, Some methods for strengthening the common χ² tests (1954), for the weights; Deng, Knoblich and Lu,
 * Applying the delta method in metric analytics (2018), for ratios; Ham, Bojinov, Lindon and Tingley, Design-based
 * confidence sequences (2022), for arms with a known random assignment while everything else drifts.
 */
export function compareMeans(strata: readonly Stratum[], range: number): Estimate | undefined {
  let weights = 0;
  let difference = 0;
  let variance = 0;
  for (const { from, to } of strata) {
    if (from.q === 0 || to.q === 0) continue;
    const weight = (to.count * from.count) / (to.count + from.count);
    weights += weight;
    difference += weight * (to.x / to.q - from.x / from.q);
    variance += weight ** 2 * (varianceOf(to, range) + varianceOf(from, range));
  }
  if (weights === 0) return undefined;
  return { difference: difference / weights, variance: variance / weights ** 2 };
}

/** Returns the variance of Σx / Σq of one arm. */
function varianceOf({ count, x, q, xx, xq, qq }: ArmSums, range: number): number {
  const ratio = x / q;
  const meanQ = q / count;
  // Rounding can make a sum of squares slightly negative.
  const residuals = Math.max(0, xx - 2 * ratio * xq + ratio ** 2 * qq) / meanQ ** 2;
  const largest = (range / 2) ** 2;
  return (residuals + PRIOR_COUNT * largest) / (count + PRIOR_COUNT) / count;
}
