import type { Outcome } from '../record/outcomes.ts';
import { leftOpen, type Tally } from '../record/tally.ts';

/**
 * Returns the outcome of a conversation, by the first rule that applies (docs/conversations.md):
 *
 * 1. The party that ended it stated one.
 * 2. A human accepted it: escalated.
 * 3. The user wanted nothing, or never said a word: abandoned.
 * 4. Something they wanted was left open: unresolved. That is a question without an answer, an
 *    answer they rejected, or a human whom they requested and who never came.
 * 5. At least one thing was answered: resolved.
 * 6. Otherwise: unknown.
 */
export function settleOutcome(tally: Tally, stated?: Outcome): Outcome {
  if (stated !== undefined) return stated;
  if (tally.escalations.accepted > 0) return 'escalated';
  if (tally.needs === 0) return 'abandoned';
  if (leftOpen(tally) > 0 || tally.isDissatisfied || tally.lacksHuman) return 'unresolved';
  return tally.answered > 0 ? 'resolved' : 'unknown';
}
