import type { Outcome } from '../record/outcomes.ts';
import type { Tally } from '../record/tally.ts';

/**
 * This module predicts how satisfied the user is, from 1.0 to 5.0 with one decimal. The prediction is a sum of a few
 * terms, so it can be checked by hand. Each term has a limit, so that none decides the result alone
 * (docs/conversations.md). The weights are estimates and not fitted to data, because ranking conversations correctly
 * matters more than exact values.
 */

/**
 * Base of the sum, by outcome. The values are close to 3.1, because people rate in a narrow range even when they are
 * satisfied (docs/quality.md).
 */
const BASE: Record<Outcome, number> = {
  resolved: 3.5,
  escalated: 3.2,
  unknown: 3.1,
  abandoned: 3.1,
  voicemail: 3.1,
  unresolved: 2.6,
  failed: 2,
};

/** Points per occurrence of a feature (`each`), and the maximum that the feature may add or subtract (`most`). */
const WEIGHTS = {
  unanswered: { each: -0.25, most: -0.75 },
  repeats: { each: -0.3, most: -0.9 },
  complaints: { each: -0.4, most: -1 },
  thanks: { each: 0.3, most: 0.3 },
  /** Number of escalations that nobody accepted. */
  refused: { each: -0.4, most: -0.8 },
  /** Number of minutes until somebody accepted the escalation, not counting the first minute. */
  waitMin: { each: -0.1, most: -0.6 },
  /** Number of the user's turns beyond the tenth. */
  length: { each: -0.05, most: -0.5 },
} as const;

/**
 * Weights for the user's mood, which ranges from -5 to 5. The mean over all turns is the best predictor. The last mood
 * counts extra, because people remember the end best.
 */
const MOOD_WEIGHTS = { mean: 0.3, last: 0.1 };
/** Points for a user who was still dissatisfied at the end, no matter whether an agent or a human tried to help. */
const DISSATISFIED = -0.8;
const PATIENCE_TURNS = 10;

export function predictCsat(tally: Tally, outcome: Outcome): number {
  const { escalations } = tally;
  const sum =
    BASE[outcome] +
    weigh('unanswered', tally.unanswered) +
    weigh('repeats', tally.repeats) +
    weigh('complaints', tally.complaints) +
    weigh('thanks', tally.thanks) +
    weigh('refused', escalations.declined + escalations.timedOut) +
    weigh('waitMin', Math.max(0, escalations.waitSec / 60 - 1)) +
    weigh('length', Math.max(0, tally.userTurns - PATIENCE_TURNS)) +
    (tally.isDissatisfied ? DISSATISFIED : 0) +
    MOOD_WEIGHTS.mean * meanMood(tally) +
    MOOD_WEIGHTS.last * (tally.moods.at(-1) ?? 0);
  return Math.round(Math.min(5, Math.max(1, sum)) * 10) / 10;
}

function weigh(feature: keyof typeof WEIGHTS, count: number): number {
  const { each, most } = WEIGHTS[feature];
  const points = each * count;
  return each < 0 ? Math.max(most, points) : Math.min(most, points);
}

/**
 * Returns the mean mood over all turns of the user. A tally (record/tally.ts) that an earlier release saved has no sum
 * of the moods, so the mean then covers only the last turns.
 */
function meanMood({ moods, moodSum, userTurns }: Tally): number {
  const sum = moodSum ?? moods.reduce((a, b) => a + b, 0);
  const turns = moodSum === undefined ? moods.length : userTurns;
  return turns === 0 ? 0 : sum / turns;
}
