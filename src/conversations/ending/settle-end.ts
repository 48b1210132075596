import type { ConversationRow, LiveConversation } from '../record/conversations.sql.ts';
import type { Outcome } from '../record/outcomes.ts';
import { summarize } from '../record/summarize.ts';
import { leftOpen, type Tally } from '../record/tally.ts';
import type { Ended, EndFacts } from './end-conversation.sql.ts';
import { predictCsat } from './predict-csat.ts';

/** Reason why a conversation ended (docs/conversations.md). */
export type EndedReason =
  | 'api'
  | 'silence_timeout'
  | 'max_duration'
  | 'deleted'
  | 'agent_deleted'
  | 'user_hangup'
  | 'agent_hangup'
  | 'voicemail'
  | 'transferred'
  | 'platform_error';

/**
 * Time limit in seconds for a model's judgement. After that, the outcome and summary that were computed without a model
 * are used, even if the model is still running.
 */
const JUDGE_SEC = 60;

/**
 * Returns the conversation as it is after its end, and the sequence number of its last event. Unless a model judges it,
 * it has its final summary. A conversation that is being erased gets no summary and is not sent to a model.
 */
export function endedRow(
  row: LiveConversation,
  how: { reason: EndedReason; outcome?: Outcome | undefined; facts: EndFacts },
): Ended {
  const { ageMs, isExpired: _, ...rest } = row;
  const { reason, facts } = how;
  const outcome = settleOutcome(row.tally, how.outcome);
  const isErased = reason === 'deleted';
  const isJudged = facts.isJudgedByModel && row.tally.userTurns > 0 && !isErased;
  const isFinal = !isJudged && !isErased;
  const ended = {
    ...rest,
    status: reason === 'platform_error' ? ('failed' as const) : ('ended' as const),
    endedAt: endOf(row, reason),
    endedReason: reason,
    outcome,
    csatPredicted: predictCsat(row.tally, outcome),
    expiresAt: null,
    judgeUntil: isJudged ? row.startedAt + ageMs + JUDGE_SEC * 1_000 : null,
    summary: isFinal ? summarize({ ...row, endedReason: reason, outcome }) : null,
  };
  return { row: ended, lastSequence: facts.lastSequence + (isFinal ? 2 : 1) };
}

/**
 * Returns the time when the conversation ended. After a timeout, that is when it expired, not when the expiry was
 * noticed.
 */
function endOf(row: LiveConversation, reason: EndedReason): number {
  const nowMs = row.startedAt + row.ageMs;
  const isTimed = reason === 'silence_timeout' || reason === 'max_duration';
  return isTimed && row.expiresAt !== null ? Math.min(nowMs, row.expiresAt) : nowMs;
}

export function reasonOfExpiry(row: ConversationRow): 'silence_timeout' | 'max_duration' {
  const latestMs = row.startedAt + row.maxDurationSec * 1_000;
  return row.expiresAt !== null && row.expiresAt >= latestMs ? 'max_duration' : 'silence_timeout';
}

/**
 * Returns the outcome of a conversation, by the first rule that applies (docs/conversations.md):
 *
 * 1. The outcome that the party who ended the conversation stated, if any.
 * 2. `escalated` if a human accepted an escalation.
 * 3. `abandoned` if the user expressed no need or said nothing.
 * 4. `unresolved` if a need remained open: a question without an answer, an answer that the user rejected, or a
 * requested human who never came.
 * 5. `resolved` if at least one question was answered.
 * 6. `unknown` otherwise.
 */
export function settleOutcome(tally: Tally, stated?: Outcome): Outcome {
  if (stated !== undefined) return stated;
  if (tally.escalations.accepted > 0) return 'escalated';
  if (tally.needs === 0) return 'abandoned';
  if (leftOpen(tally) > 0 || tally.isDissatisfied || tally.lacksHuman) return 'unresolved';
  return tally.answered > 0 ? 'resolved' : 'unknown';
}
