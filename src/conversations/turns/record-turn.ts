import type { ConversationRow, LiveConversation } from '../record/conversations.sql.ts';
import { createGroupCommit, SHARED_CHARS_MAX } from '../../platform/postgres/group-commit.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Tally } from '../record/tally.ts';
import {
  addTurns,
  addTurnsOfAll,
  type MessageResult,
  type TurnRow,
  type TurnsToAdd,
} from '../record/turns.sql.ts';
import {
  countRedacted,
  inConversation,
  lockLive,
  type ConversationDeps,
  type ConversationTransaction,
} from '../record/conversation-deps.ts';
import { afterEnd, endLocked } from '../ending/end-conversation.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { detectGap } from '../../knowledge/gaps/detect-gap.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import { agentScope, passagesOf } from '../../knowledge/search-knowledge.ts';
import {
  openEscalation,
  silenceWhileEscalated,
  type ToEscalate,
} from '../escalations/request-escalation.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

export type TurnToRecord = {
  /** Conversation as it was read. Nothing is written if it has changed since. */
  conversation: LiveConversation;
  turns: readonly TurnRow[];
  tally: Tally;
  /** Question that the agent's knowledge does not answer; undefined if there was no such question. */
  gap:
    | {
        question: string;
        topScore: number;
        closest: readonly KnowledgeHit[];
        /** Agent that could not answer the question, and its knowledge settings. */
        agentId: string;
        knowledge: AgentContent['knowledge'];
      }
    | undefined;
  /** Request for a human; undefined if no human is requested. */
  escalation: ToEscalate | undefined;
  /** Silence timeout in seconds. */
  silenceSec: number;
  /** Agent that speaks from now on; undefined if the speaker stays the same. */
  speaker: { agentId: string; agentVersion: number } | undefined;
  /** Reason why the conversation ends with these turns; undefined if it continues. */
  ends: 'agent_hangup' | undefined;
  /** Time in ms since the conversation was read. */
  elapsedMs: number;
};

/**
 * Stores the turns of one message and all their consequences in one transaction. Returns undefined, and stores nothing,
 * if the conversation has changed since it was read. With a `token`, stores only if the live turn still has this token,
 * and then removes the live turn.
 */
export async function recordTurn(
  deps: ConversationDeps & { add: AddTurns },
  record: TurnToRecord,
  beforeCommit: CommitHook<MessageResult> = noCommitHook,
  token?: string,
): Promise<MessageResult | undefined> {
  const isPlain = !record.gap && !record.escalation && !record.ends;
  // A single statement needs no explicit transaction.
  const result = await (beforeCommit === noCommitHook && isPlain
    ? store(deps.add, record, token)
    : unlessOvertaken(
        inConversation(
          deps,
          (transaction) => storeAll({ ...transaction, deps }, record, token),
          beforeCommit,
        ),
      ));
  if (result) afterStored(deps, result);
  return result;
}

/**
 * Stores a turn that this process has claimed. Its reply is not generated again, so the turn is stored even if the
 * conversation has changed since it was read. Calls `make` with the current conversation under its lock. Returns
 * undefined if another process has taken over the turn.
 * @throws ApiError not_found, conversation_ended
 */
export async function recordHeldTurn(
  deps: ConversationDeps,
  {
    key,
    token,
    make,
  }: {
    key: { namespace: string; id: string };
    token: string;
    make: (conversation: LiveConversation) => TurnToRecord;
  },
  beforeCommit: CommitHook<MessageResult> = noCommitHook,
): Promise<MessageResult | undefined> {
  const work = async (transaction: ConversationTransaction): Promise<MessageResult> => {
    const conversation = await lockLive(transaction.db, key);
    return storeAll({ ...transaction, deps }, make(conversation), token);
  };
  const result = await unlessOvertaken(inConversation(deps, work, beforeCommit));
  if (result) afterStored(deps, result);
  return result;
}

/** Adds turns (see `addTurns`). */
export type AddTurns = (turns: TurnsToAdd) => Promise<ConversationRow | undefined>;

/**
 * Creates a function that adds turns in one statement with those that concurrent callers add to other conversations.
 * Long turns and those that replace a live turn are added alone. `batchPool` has the settings `BATCH_SETTINGS`.
 */
export function createAddTurns({ pool, batchPool }: { pool: Pool; batchPool: Pool }): AddTurns {
  const commit = createGroupCommit(async (adds: readonly TurnsToAdd[]) => {
    // If two callers add turns to the same conversation, the second one does so alone.
    const first = new Map(adds.toReversed().map((add) => [add.conversation.id, add]));
    const added = await addTurnsOfAll(batchPool, [...first.values()]);
    const byId = new Map(added.map((row) => [row.id, row]));
    return adds.map((add) => {
      const { id } = add.conversation;
      return first.get(id) === add ? byId.get(id) : undefined;
    });
  });
  return async (add) => {
    const chars = add.turns.reduce((sum, { text }) => sum + text.length, 0);
    const isShared = add.token === undefined && chars <= SHARED_CHARS_MAX;
    // A conversation without a result has changed, is large, or is locked by another transaction.
    const added = isShared ? await commit(add) : undefined;
    return added ?? addTurns(pool, add);
  };
}

class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

async function unlessOvertaken<R>(stored: Promise<R>): Promise<R | undefined> {
  try {
    return await stored;
  } catch (error) {
    if (error instanceof Overtaken) return undefined;
    throw error;
  }
}

function afterStored(deps: ConversationDeps, { conversation, turns }: MessageResult): void {
  countRedacted(deps, conversation, turns);
  for (const { error } of turns) {
    if (error && !conversation.test) deps.metrics.turnErrors.inc({ code: error.code });
  }
  deps.changed(conversation.id);
  if (conversation.endedAt !== null) afterEnd(deps, conversation);
}

type Transaction = ConversationTransaction & { deps: ConversationDeps };

async function storeAll(
  transaction: Transaction,
  record: TurnToRecord,
  token: string | undefined,
): Promise<MessageResult> {
  const result = await store((add) => addTurns(transaction.db, add), record, token);
  if (!result) throw new Overtaken();
  await recordFollowUps(transaction, record, result.conversation);
  if (!record.ends) return result;
  const ageMs = record.conversation.ageMs + Math.round(record.elapsedMs);
  const row = { ...result.conversation, ageMs, isExpired: false };
  return { ...result, conversation: await endLocked(transaction, row, { reason: record.ends }) };
}

async function store(
  add: AddTurns,
  record: TurnToRecord,
  token: string | undefined,
): Promise<MessageResult | undefined> {
  const { conversation, turns, tally, escalation, silenceSec, speaker } = record;
  const added = await add({
    conversation,
    turns,
    tally,
    status: escalation || conversation.status === 'escalated' ? 'escalated' : 'active',
    silenceSec: escalation ? silenceWhileEscalated(silenceSec, escalation.timeoutSec) : silenceSec,
    speaker,
    token,
  });
  return added && { turns: [...turns], conversation: added };
}

async function recordFollowUps(
  { deps, ...transaction }: Transaction,
  { gap, escalation }: TurnToRecord,
  row: ConversationRow,
): Promise<void> {
  const { db, emit } = transaction;
  const { id: conversationId, namespace } = row;
  if (gap) {
    await detectGap(db, {
      namespace,
      conversationId,
      ...gap,
      scope: async () => passagesOf(await agentScope(db, { namespace, ...gap })),
      emit: (data) => emit(row, { type: 'knowledge.gap.detected', data }),
    });
  }
  if (escalation) await openEscalation({ ...transaction, deps }, row, escalation);
}
