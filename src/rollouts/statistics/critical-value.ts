/**
 * Returns how many standard errors a one-sided bound must lie from its estimate. At this distance, the bound holds at
 * all times simultaneously with probability 1 − `alpha`, however often it is checked. `ratio` is the information (1 /
 * variance) of the estimate, divided by the information at which the bound is close to the narrowest possible. The
 * bound holds whatever that information is, provided that its choice does not depend on the data.
 *
 * Let S be a sum with mean 0 and variance V, and ρ the tuned variance. Mixing exp(λS − λ²V/2) over a half-normal λ with
 * variance 1/ρ gives the martingale 2 Φ(S/√(V+ρ)) √(ρ/(V+ρ)) exp(S²/(2(V+ρ))). By Ville's inequality, the probability
 * that it ever reaches 1/alpha is at most alpha. Solved for z = S/√V, with r = V/ρ:
 *
 *     z² = (1 + 1/r) · (ln(1 + r) + 2 ln(1 / (2 Φ alpha)))
 *
 * Φ is at least 0.98 on the boundary if alpha ≤ 0.05, so the code uses 0.98 for it.
 *
 * Sources: Robbins, Statistical methods related to the law of the iterated logarithm (1970); Howard, Ramdas, McAuliffe
 * and Sekhon, Time-uniform, nonparametric, nonasymptotic confidence sequences (2021), normal mixture; Waudby-Smith,
 * Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic confidence sequences (2024), for
 * estimated variances.
 */
export function criticalValue({ alpha, ratio }: { alpha: number; ratio: number }): number {
  if (!(alpha > 0 && alpha <= 0.05)) throw new RangeError(`alpha ${alpha} is not in (0, 0.05]`);
  if (!(ratio > 0)) return Infinity; // There are no data yet.
  return Math.sqrt((1 + 1 / ratio) * (Math.log1p(ratio) + 2 * Math.log(1 / (2 * 0.98 * alpha))));
}
