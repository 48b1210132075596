import type { Outcome } from '../record/outcomes.ts';
import type { Tally } from '../record/tally.ts';

/**
 * How content the user probably is, 1.0–5.0 with one decimal: a sum of few terms that a person can
 * check by hand, each with a limit so that none decides alone (docs/conversations.md). The weights
 * are set by judgement, not learned: the order of conversations by it is worth more than the value.
 */

/**
 * The sum starts from the outcome: around 3.1 and close together, since that is how people rate, also those
 * who got what they wanted (docs/quality.md).
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

/** Points for each one, and the most that a feature may add or take. */
const WEIGHTS = {
  unanswered: { each: -0.25, most: -0.75 },
  repeats: { each: -0.3, most: -0.9 },
  complaints: { each: -0.4, most: -1 },
  thanks: { each: 0.3, most: 0.3 },
  /** An escalation that nobody took. */
  refused: { each: -0.4, most: -0.8 },
  /** Minutes until somebody accepted, beyond the first. */
  waitMin: { each: -0.1, most: -0.6 },
  /** Turns of the user beyond the tenth. */
  length: { each: -0.05, most: -0.5 },
} as const;

/** For the mood of the user, from -5 to 5: what says most is all they said; the end is remembered best. */
const MOOD_WEIGHTS = { mean: 0.3, last: 0.1 };
/** The user left with a complaint, whoever tried to help. */
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

/** Of all turns of the user; of a tally of before, of the last ones. */
function meanMood({ moods, moodSum, userTurns }: Tally): number {
  const sum = moodSum ?? moods.reduce((a, b) => a + b, 0);
  const turns = moodSum === undefined ? moods.length : userTurns;
  return turns === 0 ? 0 : sum / turns;
}
