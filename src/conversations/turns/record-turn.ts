import type { ConversationRow, LiveConversation } from '../record/conversations.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Tally } from '../record/tally.ts';
import { addTurns, type MessageResult, type TurnRow } from '../record/turns.sql.ts';
import {
  inConversation,
  type ConversationDeps,
  type ConversationTransaction,
} from '../record/conversation-deps.ts';
import { detectGap } from '../../knowledge/gaps/detect-gap.ts';
import { openEscalation, silenceWhileEscalated } from '../escalations/request-escalation.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

export type TurnToRecord = {
  /** As it was read: nothing is written when it has changed since. */
  conversation: LiveConversation;
  turns: readonly TurnRow[];
  tally: Tally;
  /** A question without an answer in the agent's knowledge. */
  gap: { question: string; topScore: number } | undefined;
  /** Set when a human is asked for. */
  escalation: { reason: string; timeoutSec: number } | undefined;
  /** After so many seconds of silence it ends. */
  silenceSec: number;
};

/**
 * Stores the turns of one message and all that follows from them in one transaction; undefined when
 * somebody else wrote meanwhile: then nothing is stored.
 */
export async function recordTurn(
  deps: ConversationDeps,
  record: TurnToRecord,
  beforeCommit: CommitHook<MessageResult> = noCommitHook,
): Promise<MessageResult | undefined> {
  if (beforeCommit === noCommitHook && !record.gap && !record.escalation) {
    return store(deps.pool, record); // One statement is a transaction by itself.
  }
  try {
    return await inConversation(
      deps,
      async (transaction) => {
        const result = await store(transaction.db, record);
        if (!result) throw new Overtaken();
        await recordFollowUps({ ...transaction, deps }, record, result.conversation);
        return result;
      },
      beforeCommit,
    );
  } catch (error) {
    if (error instanceof Overtaken) return undefined;
    throw error;
  }
}

class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

async function store(db: Db, record: TurnToRecord): Promise<MessageResult | undefined> {
  const { conversation, turns, tally, escalation, silenceSec } = record;
  const added = await addTurns(db, {
    conversation,
    turns,
    tally,
    status: escalation || conversation.status === 'escalated' ? 'escalated' : 'active',
    silenceSec: escalation ? silenceWhileEscalated(silenceSec, escalation.timeoutSec) : silenceSec,
  });
  return added && { turns: [...turns], conversation: added };
}

async function recordFollowUps(
  { deps, ...transaction }: ConversationTransaction & { deps: ConversationDeps },
  { gap, escalation }: TurnToRecord,
  row: ConversationRow,
): Promise<void> {
  const { db, emit } = transaction;
  const { id: conversationId, namespace, agentId } = row;
  if (gap) {
    await detectGap(db, {
      namespace,
      agentId,
      conversationId,
      ...gap,
      emit: (data) => emit(row, { type: 'knowledge.gap.detected', data }),
    });
  }
  if (escalation) await openEscalation({ ...transaction, deps }, row, escalation);
}
