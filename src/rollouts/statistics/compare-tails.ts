import { criticalValue } from './critical-value.ts';

/** Turn latencies of one arm in ms, with one list per conversation. */
export type Times = readonly (readonly number[])[];

/**
 * An estimated difference, with bounds that hold however often they are checked. An unknown bound is -Infinity or
 * Infinity.
 */
export type Interval = { difference: number; low: number; high: number };

const LEVEL = 0.95;
/** Number of measured times at which the bounds are close to the narrowest possible (see critical-value.ts). */
const TUNED_COUNT = 100;

/**
 * Compares the 95th percentiles of two arms (`to` minus `from`). Returns `undefined` while an arm has no times.
 *
 * The bounds of an arm are its own percentiles at the levels 0.95 ± z·s, where s is the standard error of the share of
 * times below the estimate. The conversation is the unit of s, because the turns of a conversation are not independent
 * of each other. s is never smaller than the standard error for independent turns. The bounds of the difference combine
 * the bounds of both arms, so each arm uses half of `alpha` per side. The upper bound is infinite until enough times
 * lie beyond the percentile.
 *
 * Sources: Woodruff, Confidence intervals for medians and other position measures (1952); Howard and Ramdas, Sequential
 * estimation of quantiles with applications to A/B testing and best-arm identification (2022).
 */
export function compareTails(
  { from, to }: { from: Times; to: Times },
  alpha: number,
): Interval | undefined {
  const [old, current] = [boundsOf(from, alpha / 2), boundsOf(to, alpha / 2)];
  if (!old || !current) return undefined;
  return {
    difference: current.estimate - old.estimate,
    low: current.low - old.high,
    high: current.high - old.low,
  };
}

function boundsOf(
  times: Times,
  alpha: number,
): { estimate: number; low: number; high: number } | undefined {
  const sorted = times.flat().sort((a, b) => a - b);
  const count = sorted.length;
  if (count === 0) return undefined;
  const at = (level: number): number =>
    sorted[Math.min(count, Math.max(1, Math.ceil(level * count - 1e-9))) - 1]!;
  const estimate = at(LEVEL);
  const independent = (LEVEL * (1 - LEVEL)) / count;
  const variance = Math.max(independent, clusteredVariance(times, estimate, count));
  const ratio = (LEVEL * (1 - LEVEL)) / TUNED_COUNT / variance;
  const margin = criticalValue({ alpha, ratio }) * Math.sqrt(variance);
  return {
    estimate,
    low: LEVEL - margin > 0 ? at(LEVEL - margin) : -Infinity,
    high: LEVEL + margin < 1 ? at(LEVEL + margin) : Infinity,
  };
}

/** Returns the variance of the share of times up to `limit`, with whole conversations as the sampled units. */
function clusteredVariance(times: Times, limit: number, count: number): number {
  const belowOf = (one: readonly number[]): number => one.filter((ms) => ms <= limit).length;
  const share = times.reduce((sum, one) => sum + belowOf(one), 0) / count;
  const squares = times.reduce((sum, one) => sum + (belowOf(one) - share * one.length) ** 2, 0);
  return squares / count ** 2;
}
