import { ROLLOUT_METRICS, type RolloutMetric } from '../../agents/agent-rollout.ts';
import { compareMeans, type Estimate, type Stratum } from './compare-means.ts';
import { compareTails, type Interval, type Times } from './compare-tails.ts';
import { criticalValue } from './critical-value.ts';

export type Check = { metric: RolloutMetric; worseBy: number };
/** Observations for a check: sums for each step, or the turn latencies of the current step. */
export type Observed = { steps: readonly Stratum[] } | { times: { from: Times; to: Times } };

/**
 * `worse`: the new version is worse. `passed`: the new version may get the next step's share of conversations.
 * `undecided`: neither is certain yet.
 */
export type Verdict = 'worse' | 'passed' | 'undecided';

/**
 * A check with its estimated difference (`interval`) and its verdict. `interval` is `undefined` while an arm has no
 * data; the verdict is then `undecided`.
 */
export type JudgedCheck = Check & { interval: Interval | undefined; verdict: Verdict };

/** Probability, over a rollout's lifetime, of wrongly aborting it when the new version is no worse on any check. */
const FALSE_ALARMS = 0.05;

/** Minimum number of conversations with a value, in each arm, for a verdict other than `undecided`. */
const COUNT_MIN = 20;

/**
 * Judges a check (docs/rollouts.md#verdicts). The error probability of 5% is divided by the number of checks, so it
 * holds for the rollout as a whole. For latency checks it is also divided by the number of steps, because each step is
 * compared separately.
 *
 * `exposure` is the share of conversations that the next step would give to the new version. The check passes if the
 * harm to all conversations at that share, `exposure` times the upper bound, is less than `worseBy`. A latency
 * percentile is compared without `exposure`, because a percentile of a mixture is not a mixture of percentiles.
 */
export function judgeCheck(
  check: Check,
  observed: Observed,
  of: { checks: number; steps: number; exposure: number },
): JudgedCheck {
  const alpha = FALSE_ALARMS / of.checks;
  const { worse } = ROLLOUT_METRICS[check.metric];
  const compared =
    'steps' in observed
      ? meansOf(check, observed.steps, alpha)
      : compareTails(observed.times, alpha / of.steps);
  if (!compared) return { ...check, interval: undefined, verdict: 'undecided' };
  const harm = worse === 'higher' ? compared : reversed(compared);
  const exposure = 'steps' in observed ? of.exposure : 1;
  const verdict = isFew(observed) ? 'undecided' : verdictOf(harm, check.worseBy, exposure);
  return { ...check, interval: compared, verdict };
}

function verdictOf(harm: Interval, worseBy: number, exposure: number): Verdict {
  if (harm.low > 0 && harm.difference >= worseBy) return 'worse';
  return harm.high * exposure < worseBy ? 'passed' : 'undecided';
}

function isFew(observed: Observed): boolean {
  const { from, to } = countsOf(observed);
  return from < COUNT_MIN || to < COUNT_MIN;
}

function countsOf(observed: Observed): { from: number; to: number } {
  if ('times' in observed) {
    const { from, to } = observed.times;
    return { from: from.length, to: to.length };
  }
  const add = (arm: 'from' | 'to'): number =>
    observed.steps.reduce((sum, step) => sum + step[arm].count, 0);
  return { from: add('from'), to: add('to') };
}

function meansOf(
  { metric, worseBy }: Check,
  steps: readonly Stratum[],
  alpha: number,
): Interval | undefined {
  const { range } = ROLLOUT_METRICS[metric];
  const estimate = compareMeans(steps, range ?? 1);
  return estimate && intervalOf(estimate, { worseBy, alpha, range: range ?? 1 });
}

/**
 * Factor that tunes the bounds for a difference of `worseBy`. The bounds are close to the narrowest possible once
 * enough conversations have ended to detect a difference of that size.
 */
const TUNING = 3;

function intervalOf(
  { difference, variance }: Estimate,
  { worseBy, alpha, range }: { worseBy: number; alpha: number; range: number },
): Interval {
  const ratio = worseBy ** 2 / (TUNING * variance);
  const margin = criticalValue({ alpha, ratio }) * Math.sqrt(variance);
  return {
    difference,
    low: Math.max(-range, difference - margin),
    high: Math.min(range, difference + margin),
  };
}

function reversed({ difference, low, high }: Interval): Interval {
  return { difference: -difference, low: -high, high: -low };
}
