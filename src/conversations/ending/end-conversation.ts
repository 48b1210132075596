import { fromUuid } from '../../ids.ts';
import { endLiveTurn, type LiveTurn } from '../record/live-turns.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import {
  lockExpired,
  type ConversationRow,
  type LiveConversation,
} from '../record/conversations.sql.ts';
import type { Outcome } from '../record/outcomes.ts';
import { closeEscalationsOf } from '../escalations/escalations.sql.ts';
import {
  durationSec,
  inConversation,
  lockLive,
  transcriptUrl,
  type ConversationDeps,
  type ConversationTransaction,
} from '../record/conversation-deps.ts';
import { predictCsat } from './predict-csat.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import { summarize, summarizeSoFar } from '../record/summarize.ts';
import { transcriptReady } from './complete-transcript.ts';
import { storeBrokenOff } from './break-off-turn.ts';
import { endConversationRow, readEndFacts, type EndFacts } from './end-conversation.sql.ts';
import { leftOpen, type Tally } from '../record/tally.ts';

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
 * Ends a conversation. Commits its state, its outcome and the event that reports the end in one transaction
 * (contract/events.md#types). Unless a model judges the conversation, the same transaction writes its summary and emits
 * the event that reports its complete transcript.
 * @throws ApiError not_found, conversation_ended
 */
export async function endConversation(
  deps: ConversationDeps,
  input: { namespace: string; id: string; reason: EndedReason; outcome?: Outcome | undefined },
  beforeCommit?: CommitHook<ConversationRow>,
): Promise<ConversationRow> {
  const ended = await inConversation(
    deps,
    async (transaction) => {
      const { db } = transaction;
      // All statements are sent at once. The first one waits for the lock, so the others see what it protects.
      const [locked, before] = await Promise.all([
        lockLive(db, input),
        takeBeforeEnd(db, input.id),
      ]);
      return endLocked({ ...transaction, deps }, locked, input, before);
    },
    beforeCommit,
  );
  afterEnd(deps, ended, { isOutcomeStated: input.outcome !== undefined });
  return ended;
}

/** Ends a conversation that has expired, unless another transaction has locked it. */
export async function endExpired(deps: ConversationDeps, id: string): Promise<void> {
  const ended = await inConversation(deps, async (transaction) => {
    const row = await lockExpired(transaction.db, id);
    return row && endLocked({ ...transaction, deps }, row, { reason: reasonOfExpiry(row) });
  });
  if (ended) afterEnd(deps, ended);
}

/** Counts an ended conversation in the metrics. Call it after the commit. */
export function countEnd(
  { metrics }: Pick<ConversationDeps, 'metrics'>,
  { channel, outcome, test }: ConversationRow,
): void {
  if (!test) metrics.conversations.inc({ channel, outcome: outcome ?? 'unknown' });
}

/**
 * Called after the end of a conversation is committed. Counts the end in the metrics and, if a model should judge the
 * conversation, queues the judgement. If the judgement is lost, the reaper completes the transcript.
 */
export function afterEnd(
  deps: ConversationDeps,
  row: ConversationRow,
  { isOutcomeStated = false } = {},
): void {
  countEnd(deps, row);
  if (row.judgeUntil !== null) deps.judge({ row, isOutcomeStated });
}

/**
 * Time limit in seconds for a model's judgement. After that, the outcome and summary that were computed without a model
 * are used, even if the model is still running.
 */
const JUDGE_SEC = 60;

type BeforeEnd = { live: LiveTurn | undefined; facts: EndFacts | undefined };

/**
 * Removes the turn in progress and reads what the end depends on, in one round trip. The caller must hold the
 * conversation's lock, or have sent the statement that takes it.
 */
async function takeBeforeEnd(db: Db, id: string): Promise<BeforeEnd> {
  const [live, facts] = await Promise.all([endLiveTurn(db, id), readEndFacts(db, id)]);
  return { live, facts };
}

/**
 * Ends a conversation in the caller's transaction. The caller has locked the conversation. The statements that store
 * the end share the round trip of the commit.
 */
export async function endLocked(
  transaction: ConversationTransaction & { deps: Pick<ConversationDeps, 'baseUrl'> },
  locked: LiveConversation,
  how: { reason: EndedReason; outcome?: Outcome | undefined },
  before?: BeforeEnd,
): Promise<ConversationRow> {
  const { db, count, send } = transaction;
  const { live, facts } = before ?? (await takeBeforeEnd(db, locked.id));
  const row = live ? await storeBrokenOff(transaction, locked, live) : locked;
  const { isJudgedByModel, lastSequence } = facts!; // The row exists, because the caller has locked it.
  const ended = endedRow(row, { ...how, isJudgedByModel });
  const sequence = lastSequence + 1;
  const isComplete = ended.summary !== null;
  send(
    closeEscalationsOf(db, row.id, summarizeSoFar(row, { isWaiting: false })).then((statuses) => {
      for (const status of statuses) count(row, status);
    }),
  );
  send(endConversationRow(db, ended, isComplete ? sequence + 1 : sequence));
  await emitEnd(transaction, ended, { reason: how.reason, sequence });
  if (isComplete)
    await transaction.emit(ended, {
      ...transcriptReady(transaction.deps, ended),
      sequence: sequence + 1,
    });
  return ended;
}

/**
 * Returns the conversation as it is after its end. Unless a model judges it, it has its final summary. A conversation
 * that is being erased gets no summary and is not sent to a model.
 */
function endedRow(
  row: LiveConversation,
  how: { reason: EndedReason; outcome?: Outcome | undefined; isJudgedByModel: boolean },
): ConversationRow {
  const { ageMs, isExpired: _, ...rest } = row;
  const { reason } = how;
  const outcome = settleOutcome(row.tally, how.outcome);
  const isErased = reason === 'deleted';
  const isJudged = how.isJudgedByModel && row.tally.userTurns > 0 && !isErased;
  const isFinal = !isJudged && !isErased;
  return {
    ...rest,
    status: reason === 'platform_error' ? 'failed' : 'ended',
    endedAt: endOf(row, reason),
    endedReason: reason,
    outcome,
    csatPredicted: predictCsat(row.tally, outcome),
    expiresAt: null,
    judgeUntil: isJudged ? row.startedAt + ageMs + JUDGE_SEC * 1_000 : null,
    summary: isFinal ? summarize({ ...row, endedReason: reason, outcome }) : null,
  };
}

async function emitEnd(
  {
    emit,
    deps,
  }: Pick<ConversationTransaction, 'emit'> & {
    deps: Pick<ConversationDeps, 'baseUrl'>;
  },
  ended: ConversationRow,
  { reason, sequence }: { reason: EndedReason; sequence: number },
): Promise<void> {
  // The event omits the user and the metadata if the conversation is being erased.
  const about = reason === 'deleted' ? { ...ended, userId: null, metadata: {} } : ended;
  await emit(about, {
    type: 'conversation.ended',
    sequence,
    data: {
      conversation_id: fromUuid('conv', ended.id),
      agent_id: fromUuid('agt', ended.agentId),
      channel: ended.channel,
      duration_sec: durationSec(ended) ?? 0,
      // `endedRow` has set both values, so the defaults are never used.
      outcome: ended.outcome ?? 'unknown',
      csat_predicted: ended.csatPredicted ?? 1,
      transcript_url: transcriptUrl(deps, ended.id),
      agent_version: ended.agentVersion,
      ended_reason: reason,
    },
  });
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
