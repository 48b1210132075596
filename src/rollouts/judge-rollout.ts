import type { RolloutMetric } from '../agents/agent-rollout.ts';
import type { RolloutLine } from '../agents/rollouts/rollouts.sql.ts';
import {
  readRolloutFigures,
  readRolloutTimes,
  type StepFigures,
} from '../conversations/rollout-figures.sql.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { figureOf, NO_OBSERVATIONS, type Stratum } from './statistics/compare-means.ts';
import { exposureAfter } from './statistics/decide-step.ts';
import { judgeCheck, type JudgedCheck, type Verdict } from './statistics/judge-check.ts';

/** The metrics of both versions, in the form used by the API, by events and by stored evidence. */
export type Evidence = {
  from: { conversations: number };
  to: { conversations: number };
  /** Number of conversations on the new version that have ended in this step, and the number that the step requires. */
  step: { conversations: number; min_conversations: number };
  checks: EvidenceOfCheck[];
};

export type EvidenceOfCheck = {
  metric: RolloutMetric;
  worse_by: number;
  /**
   * Metric of the old version (`from`) and of the new one (`to`) over all steps. Null for latency percentiles, which
   * are computed for the current step only, and while there is no data.
   */
  from: number | null;
  to: number | null;
  /**
   * Estimated difference between the versions (`to` minus `from`), with its confidence bounds `low` and `high`. The
   * versions are compared within each step. Null while unknown.
   */
  difference: number | null;
  low: number | null;
  high: number | null;
  verdict: Verdict;
};

/**
 * Computes the metrics of both versions and the verdict of each check from the conversations that have ended so far.
 * Takes no lock.
 */
export async function judgeRollout(db: Db, line: RolloutLine): Promise<Evidence> {
  const { rolloutId, step, plan } = line;
  const figures = await readRolloutFigures(db, rolloutId);
  const isTimed = plan.checks.some(({ metric }) => metric === 'turn_latency_p95_ms');
  const timed = isTimed ? await readRolloutTimes(db, { rolloutId, step }) : [];
  const terms = {
    checks: plan.checks.length,
    steps: plan.steps.length,
    exposure: exposureAfter(plan.steps, step),
  };
  const times = {
    from: timed.filter(({ isNew }) => !isNew).map((one) => one.times),
    to: timed.filter(({ isNew }) => isNew).map((one) => one.times),
  };
  const checks = plan.checks.map((check) => {
    const { metric } = check;
    if (metric === 'turn_latency_p95_ms') {
      return evidenceOf(judgeCheck(check, { times }, terms), { from: null, to: null });
    }
    const steps = plan.steps.map((_, index): Stratum => ({
      from: sumsOf(figures, { index, isNew: false, metric }),
      to: sumsOf(figures, { index, isNew: true, metric }),
    }));
    const overall = { from: overallOf(steps, 'from'), to: overallOf(steps, 'to') };
    return evidenceOf(judgeCheck(check, { steps }, terms), overall);
  });
  const endedOf = (isNew: boolean, of = figures): number =>
    of.filter((one) => one.isNew === isNew).reduce((sum, { ended }) => sum + ended, 0);
  const inStep = figures.filter((one) => one.step === step);
  return {
    from: { conversations: endedOf(false) },
    to: { conversations: endedOf(true) },
    step: {
      conversations: endedOf(true, inStep),
      min_conversations: plan.steps[step]?.minConversations ?? 0,
    },
    checks,
  };
}

function sumsOf(
  figures: readonly StepFigures[],
  of: { index: number; isNew: boolean; metric: Exclude<RolloutMetric, 'turn_latency_p95_ms'> },
) {
  const found = figures.find(({ step, isNew }) => step === of.index && isNew === of.isNew);
  return found?.[of.metric] ?? NO_OBSERVATIONS;
}

function overallOf(steps: readonly Stratum[], arm: 'from' | 'to'): number | null {
  const x = steps.reduce((sum, step) => sum + step[arm].x, 0);
  const q = steps.reduce((sum, step) => sum + step[arm].q, 0);
  return figureOf({ ...NO_OBSERVATIONS, x, q });
}

function evidenceOf(
  { metric, worseBy, interval, verdict }: JudgedCheck,
  { from, to }: { from: number | null; to: number | null },
): EvidenceOfCheck {
  return {
    metric,
    worse_by: worseBy,
    from,
    to,
    difference: interval ? interval.difference : null,
    low: interval ? finite(interval.low) : null,
    high: interval ? finite(interval.high) : null,
    verdict,
  };
}

/** Returns the bound, or `null` if it is infinite (unknown), because JSON cannot represent infinity. */
function finite(bound: number): number | null {
  return Number.isFinite(bound) ? bound : null;
}
