import type { Outcome } from '../record/outcomes.ts';
import { leftOpen, type Tally } from '../record/tally.ts';

/**
 * Returns the outcome of a conversation, by the first rule that applies (docs/conversations.md):
 *
 * 1. The party that ended it stated an outcome.
 * 2. A human accepted it: escalated.
 * 3. The user wanted nothing, or never said a word: abandoned.
 * 4. A need of the user was left open: unresolved. Such a need is a question without an answer, an answer that the user
 * rejected, or a requested human who never came.
 * 5. At least one question was answered: resolved.
 * 6. Otherwise: unknown.
 */
export function settleOutcome(tally: Tally, stated?: Outcome): Outcome {
  if (stated !== undefined) return stated;
  if (tally.escalations.accepted > 0) return 'escalated';
  if (tally.needs === 0) return 'abandoned';
  if (leftOpen(tally) > 0 || tally.isDissatisfied || tally.lacksHuman) return 'unresolved';
  return tally.answered > 0 ? 'resolved' : 'unknown';
}
