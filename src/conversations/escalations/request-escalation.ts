import { ApiError } from '../../errors.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import { readVersion } from '../../agents/agent-versions.sql.ts';
import type { ConversationRow, LiveConversation } from '../record/conversations.sql.ts';
import { insertEscalation, type EscalationRow } from './escalations.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Tally } from '../record/tally.ts';
import { cancelLiveTurn } from '../record/live-turns.sql.ts';
import { addTurns } from '../record/turns.sql.ts';
import {
  inConversation,
  lockLive,
  type ConversationDeps,
  type ConversationTransaction,
} from '../record/conversation-deps.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import { summarizeSoFar } from '../record/summarize.ts';
import { plainTurn } from '../record/plain-turn.ts';

/** How long to wait for a human when the agent sets no time. */
export const DEFAULT_TIMEOUT_SEC = 300;

/**
 * Asks for a human from outside the conversation.
 * @throws ApiError not_found, conversation_ended, already_escalated
 */
export function requestEscalation(
  deps: ConversationDeps,
  input: { namespace: string; id: string; reason: string; team: string | null },
  beforeCommit?: CommitHook<EscalationRow>,
): Promise<EscalationRow> {
  return inConversation(
    deps,
    async (transaction) => {
      const { db } = transaction;
      const row = await lockLive(db, input);
      if (row.status === 'escalated') {
        throw new ApiError('already_escalated', 'a human has been asked for already');
      }
      await cancelLiveTurn(db, row.id); // The agent is silent from now on.
      const version = await readVersion(db, { agentId: row.agentId, version: row.agentVersion });
      const declared = version?.content.escalation;
      const timeoutSec = declared?.timeoutSec ?? DEFAULT_TIMEOUT_SEC;
      const updated = await addSystemTurn(db, row, {
        text: 'A human was asked to take over.',
        status: 'escalated',
        tally: countRequest(row.tally),
        silenceSec: silenceWhileEscalated(row.silenceTimeoutSec, timeoutSec),
      });
      return openEscalation({ ...transaction, deps }, updated, {
        reason: input.reason,
        timeoutSec,
        team: input.team ?? declared?.team ?? null,
        fallbackTeam: declared?.fallbackTeam ?? null,
      });
    },
    beforeCommit,
  );
}

/** A conversation must not end for silence while the user waits for a human who may still come. */
export function silenceWhileEscalated(silenceSec: number, timeoutSec: number): number {
  return Math.max(silenceSec, timeoutSec);
}

/** Why a human is asked for, whom, and how long the user waits for one. */
export type ToEscalate = Pick<EscalationRow, 'reason' | 'team' | 'fallbackTeam'> & {
  timeoutSec: number;
};

/** Called in the transaction that makes the conversation `escalated`, under its lock. */
export async function openEscalation(
  { db, emit, count, deps }: ConversationTransaction & { deps: Pick<ConversationDeps, 'nowMs'> },
  conversation: ConversationRow,
  { reason, timeoutSec, team, fallbackTeam }: ToEscalate,
): Promise<EscalationRow> {
  const row = await insertEscalation(db, {
    id: newUuid(deps.nowMs()),
    namespace: conversation.namespace,
    conversationId: conversation.id,
    agentId: conversation.agentId,
    reason,
    summary: summarizeSoFar(conversation),
    timeoutSec,
    test: conversation.test,
    team,
    // Nobody is asked twice for nothing.
    fallbackTeam: fallbackTeam === team ? null : fallbackTeam,
  });
  await emit(conversation, {
    type: 'escalation.requested',
    data: {
      escalation_id: fromUuid('esc', row.id),
      conversation_id: fromUuid('conv', conversation.id),
      agent_id: fromUuid('agt', conversation.agentId),
      reason,
      summary: row.summary,
      ...(row.team !== null && { team: row.team }),
    },
  });
  count(conversation, 'requested');
  return row;
}

/** One more escalation; `lacksHuman` until somebody comes or an answer helps. */
export function countRequest(tally: Tally): Tally {
  const escalations = { ...tally.escalations, requested: tally.escalations.requested + 1 };
  return { ...tally, escalations, lacksHuman: true };
}

/** Adds a system turn to a conversation that the caller has locked. */
export async function addSystemTurn(
  db: Db,
  row: LiveConversation,
  change: { text: string; status: 'active' | 'escalated'; tally: Tally; silenceSec: number },
): Promise<ConversationRow> {
  const turn = plainTurn(row, 'system', change.text);
  const updated = await addTurns(db, {
    conversation: row,
    turns: [turn],
    tally: { ...change.tally, endedAtMs: turn.endedAtMs },
    status: change.status,
    silenceSec: change.silenceSec,
  });
  if (!updated) throw new Error(`conversation ${row.id} changed under its lock`);
  return updated;
}
