import { fromUuid } from '../../ids.ts';
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
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import { summarizeSoFar } from '../record/summarize.ts';
import { transcriptReady } from './complete-transcript.ts';
import { breakOffTurn } from './break-off-turn.ts';
import {
  endConversationRows,
  readEndFacts,
  type Ended,
  type EndFacts,
} from './end-conversation.sql.ts';
import { endedRow, reasonOfExpiry, type EndedReason } from './settle-end.ts';

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
      // Both statements are sent together. The first one waits for the lock, so the second one sees what it protects.
      const [locked, facts] = await Promise.all([
        lockLive(db, input),
        readEndFacts(db, [input.id]),
      ]);
      return endLocked({ ...transaction, deps }, locked, input, facts);
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
 * Ends a conversation in the caller's transaction. The caller has locked the conversation. The statements that store
 * the end share the round trip of the commit. `given` are the facts if the caller has already read them, under the
 * lock.
 */
export async function endLocked(
  transaction: ConversationTransaction & { deps: Pick<ConversationDeps, 'baseUrl'> },
  locked: LiveConversation,
  how: { reason: EndedReason; outcome?: Outcome | undefined },
  given?: readonly EndFacts[],
): Promise<ConversationRow> {
  const { db, count, send } = transaction;
  const facts = (given ?? (await readEndFacts(db, [locked.id])))[0]!; // The row exists, because it is locked.
  const row = facts.hasLiveTurn ? await breakOffTurn(transaction, locked) : locked;
  const ended = endedRow(row, { ...how, facts });
  if (facts.hasOpenEscalation) {
    const summary = summarizeSoFar(row, { isWaiting: false });
    send(
      closeEscalationsOf(db, row.id, summary).then((statuses) => {
        for (const status of statuses) count(row, status);
      }),
    );
  }
  send(endConversationRows(db, [ended]));
  await emitEnd(transaction, ended, { reason: how.reason });
  return ended.row;
}

/** Emits the event that reports the end of a conversation and, if it has its summary, the one of its transcript. */
export async function emitEnd(
  {
    emit,
    deps,
  }: Pick<ConversationTransaction, 'emit'> & { deps: Pick<ConversationDeps, 'baseUrl'> },
  { row, lastSequence }: Ended,
  { reason, ...trace }: { reason: EndedReason; traceparent?: string | undefined },
): Promise<void> {
  // The event omits the user and the metadata if the conversation is being erased.
  const about = reason === 'deleted' ? { ...row, userId: null, metadata: {} } : row;
  const isComplete = row.summary !== null;
  await emit(about, {
    type: 'conversation.ended',
    sequence: isComplete ? lastSequence - 1 : lastSequence,
    ...trace,
    data: {
      conversation_id: fromUuid('conv', row.id),
      agent_id: fromUuid('agt', row.agentId),
      channel: row.channel,
      duration_sec: durationSec(row) ?? 0,
      // `endedRow` has set both values, so the defaults are never used.
      outcome: row.outcome ?? 'unknown',
      csat_predicted: row.csatPredicted ?? 1,
      transcript_url: transcriptUrl(deps, row.id),
      agent_version: row.agentVersion,
      ended_reason: reason,
    },
  });
  if (isComplete)
    await emit(row, { ...transcriptReady(deps, row), sequence: lastSequence, ...trace });
}
