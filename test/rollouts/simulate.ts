import {
  NO_OBSERVATIONS,
  observe,
  type Stratum,
} from '../../src/rollouts/statistics/compare-means.ts';
import {
  decideStep,
  exposureAfter,
  type RolloutStep,
} from '../../src/rollouts/statistics/decide-step.ts';
import {
  judgeCheck,
  type Check,
  type JudgedCheck,
} from '../../src/rollouts/statistics/judge-check.ts';
import { createSeeded } from '../random/seeded.ts';

/** Rollouts of invented versions, judged after every conversation. */

/** Returns a function for numbers from 0 to 1 that are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  const { below } = createSeeded(seed);
  return () => below(2 ** 32) / 2 ** 32;
}

export type Arm = 'from' | 'to';

export type Simulated = {
  steps: readonly RolloutStep[];
  checks: readonly Check[];
  /**
   * Returns the value of a conversation for each check; `null` if it has none, as a conversation that nobody rated.
   * `index` is the number of conversations before it.
   */
  outcome: (arm: Arm, random: () => number, index: number) => (number | null)[];
  conversationsMax: number;
};

export type SimulatedEnd = {
  end: 'completed' | 'aborted' | 'undecided';
  /** All conversations of the rollout. */
  conversations: number;
  /** Conversations of the new version. */
  ofNew: number;
  checks: readonly JudgedCheck[];
};

/** Runs one rollout to its end, or until `conversationsMax` conversations. */
export function simulateRollout(of: Simulated, random: () => number): SimulatedEnd {
  const { steps, checks } = of;
  const strata = checks.map((): Stratum[] => [{ from: NO_OBSERVATIONS, to: NO_OBSERVATIONS }]);
  let index = 0;
  let inStep = 0;
  let ofNew = 0;
  let judged: JudgedCheck[] = [];
  for (let conversations = 1; conversations <= of.conversationsMax; conversations += 1) {
    const step = steps[index]!;
    const arm = random() * 100 < step.weight ? 'to' : 'from';
    if (arm === 'to') {
      inStep += 1;
      ofNew += 1;
    }
    of.outcome(arm, random, conversations - 1).forEach((value, i) => {
      const last = strata[i]!.at(-1)!;
      if (value !== null) last[arm] = observe(last[arm], value);
    });
    const terms = {
      checks: checks.length,
      steps: steps.length,
      exposure: exposureAfter(steps, index),
    };
    judged = checks.map((check, i) => judgeCheck(check, { steps: strata[i]! }, terms));
    const decision = decideStep({
      step,
      isLast: index === steps.length - 1,
      onFail: 'Abort',
      isHeld: false,
      conversations: inStep,
      verdicts: judged.map(({ verdict }) => verdict),
      isOverdue: false,
    });
    const now = { conversations, ofNew, checks: judged };
    if (decision === 'abort') return { end: 'aborted', ...now };
    if (decision === 'complete') return { end: 'completed', ...now };
    if (decision === 'advance') {
      index += 1;
      inStep = 0;
      for (const one of strata) one.push({ from: NO_OBSERVATIONS, to: NO_OBSERVATIONS });
    }
  }
  return { end: 'undecided', conversations: of.conversationsMax, ofNew, checks: judged };
}

/** Returns an outcome that is 1 with the probability of the arm. */
export const withRates =
  (from: number, to: number): Simulated['outcome'] =>
  (arm, random) => [random() < (arm === 'to' ? to : from) ? 1 : 0];
