import type { Outcome } from '../record/outcomes.ts';
import { leftOpen, type Tally } from '../record/tally.ts';

/**
 * The outcome of a conversation, by the first rule that applies (docs/conversations.md):
 *
 * 1. whoever ended it stated one;
 * 2. a human accepted it: escalated;
 * 3. the user wanted nothing, or never said a word: abandoned;
 * 4. something they wanted was left open: unresolved. That is a question without an answer, an
 *    answer they rejected, or a human who was asked for and never came;
 * 5. at least one thing was answered: resolved;
 * 6. unknown.
 */
export function settleOutcome(tally: Tally, stated?: Outcome): Outcome {
  if (stated !== undefined) return stated;
  if (tally.escalations.accepted > 0) return 'escalated';
  if (tally.needs === 0) return 'abandoned';
  if (leftOpen(tally) > 0 || tally.isDissatisfied || tally.lacksHuman) return 'unresolved';
  return tally.answered > 0 ? 'resolved' : 'unknown';
}
