import { ApiError } from '../../errors.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import { readVersion } from '../../agents/agent-versions.sql.ts';
import type { AgentContent } from '../../agents/agent.ts';
import {
  waitLonger,
  type ConversationRow,
  type LiveConversation,
} from '../record/conversations.sql.ts';
import { closedMessage } from './opening-hours.ts';
import { insertEscalation, type EscalationRow } from './escalations.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Tally } from '../record/tally.ts';
import { cancelLiveTurn } from '../record/live-turns.sql.ts';
import { addTurns, type TurnRole } from '../record/turns.sql.ts';
import {
  inConversation,
  lockLive,
  type ConversationDeps,
  type ConversationTransaction,
} from '../record/conversation-deps.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import { summarizeSoFar } from '../record/summarize.ts';
import { plainTurn } from '../record/plain-turn.ts';
import { sentencesIn } from '../sentences/sentences.ts';

/** Default time in seconds that a user waits for a human. */
export const DEFAULT_TIMEOUT_SEC = 300;

/**
 * Requests a human for a conversation on behalf of an API client.
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
        throw new ApiError(
          'already_escalated',
          'A human has already been requested for this conversation.',
        );
      }
      // Stops the reply in progress, because the agent does not reply while a human is requested.
      await cancelLiveTurn(db, row.id);
      const version = await readVersion(db, { agentId: row.agentId, version: row.agentVersion });
      const content = version?.content ?? {};
      const declared = content.escalation;
      const timeoutSec = declared?.timeoutSec ?? DEFAULT_TIMEOUT_SEC;
      const updated = await addSystemTurn(db, row, {
        text: sentencesIn(content.language).humanAsked,
        status: 'escalated',
        tally: countRequest(row.tally),
        silenceSec: silenceWhileEscalated(row.silenceTimeoutSec, timeoutSec),
      });
      return openEscalation({ ...transaction, deps }, updated, {
        reason: input.reason,
        timeoutSec,
        team: input.team ?? declared?.team ?? null,
        fallbackTeam: declared?.fallbackTeam ?? null,
        telephone: telephoneOf(content, row),
      });
    },
    beforeCommit,
  );
}

/**
 * Returns the telephone number to call for a human, or null if the agent has no number for escalations or is outside
 * its opening hours.
 */
function telephoneOf(
  content: Pick<AgentContent, 'escalation' | 'language'>,
  { startedAt, ageMs }: LiveConversation,
): string | null {
  if (closedMessage(content, startedAt + ageMs) !== undefined) return null;
  return content.escalation?.telephone?.to ?? null;
}

/**
 * Returns the silence timeout during an escalation. It is at least as long as the escalation's timeout, so that silence
 * does not end the conversation while a human may still join.
 */
export function silenceWhileEscalated(silenceSec: number, timeoutSec: number): number {
  return Math.max(silenceSec, timeoutSec);
}

/** Reason for an escalation, the teams to ask, and how long the user waits. */
export type ToEscalate = Pick<EscalationRow, 'reason' | 'team' | 'fallbackTeam'> & {
  timeoutSec: number;
  /** E.164 number to call if the conversation is a telephone call; null to call nobody. */
  telephone: string | null;
};

/**
 * Opens an escalation. Runs under the conversation's lock, in the transaction that sets the conversation's status to
 * `escalated`.
 */
export async function openEscalation(
  {
    deps,
    ...transaction
  }: ConversationTransaction & { deps: Pick<ConversationDeps, 'nowMs' | 'ring'> },
  conversation: ConversationRow,
  { reason, timeoutSec, team, fallbackTeam, telephone: to }: ToEscalate,
): Promise<EscalationRow> {
  const { db, emit, count } = transaction;
  const id = newUuid(deps.nowMs());
  const ringSec =
    to === null
      ? undefined
      : await deps.ring?.(transaction, { conversation, escalationId: id, to });
  // Neither the escalation nor the conversation may time out while the telephone rings.
  if (ringSec !== undefined) await waitLonger(db, { id: conversation.id, sec: ringSec });
  const row = await insertEscalation(db, {
    id,
    namespace: conversation.namespace,
    conversationId: conversation.id,
    agentId: conversation.agentId,
    reason,
    summary: summarizeSoFar(conversation, { isWaiting: true }),
    timeoutSec: Math.max(timeoutSec, ringSec ?? 0),
    test: conversation.test,
    turnsBefore: conversation.turnCount,
    team,
    // A second request to the same team would be pointless.
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

/**
 * Counts one more escalation. Sets `lacksHuman`, which stays true until somebody accepts or a later answer helps the
 * user.
 */
export function countRequest(tally: Tally): Tally {
  const escalations = { ...tally.escalations, requested: tally.escalations.requested + 1 };
  return { ...tally, escalations, lacksHuman: true, hasHuman: false };
}

/** Adds a turn to a conversation that the caller has locked. The default role is `system`. */
export async function addSystemTurn(
  db: Db,
  row: LiveConversation,
  change: {
    text: string;
    status: 'active' | 'escalated';
    tally: Tally;
    silenceSec: number;
    role?: TurnRole;
  },
): Promise<ConversationRow> {
  const turn = plainTurn(row, change.role ?? 'system', change.text);
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
