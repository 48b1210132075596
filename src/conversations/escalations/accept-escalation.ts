import { readVersionLanguage } from '../../agents/agent-versions.sql.ts';
import { ApiError, found } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { lockConversation, type LiveConversation } from '../record/conversations.sql.ts';
import {
  acceptEscalationRow,
  readEscalation,
  setEscalationSummary,
  type EscalationRow,
  type Acceptance,
} from './escalations.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { summarizeSoFar } from '../record/summarize.ts';
import type { Tally } from '../record/tally.ts';
import { fillPlaceholders } from '../record/fill-placeholders.ts';
import { sentencesIn } from '../sentences/sentences.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { addSystemTurn, silenceWhileEscalated } from './request-escalation.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';

type Key = { namespace: string; id: string };

/**
 * Lets a human agent take over a conversation. If several human agents try, only the first succeeds
 * (contract/escalations.md#acts).
 * @throws ApiError not_found, already_accepted, escalation_closed
 */
export function acceptEscalation(
  deps: ConversationDeps,
  input: Key & Acceptance,
  beforeCommit?: CommitHook<EscalationRow>,
): Promise<EscalationRow> {
  return inConversation(
    deps,
    async ({ db, emit, count }) => {
      const conversation = await lockConversationOf(db, input);
      const row = await acceptEscalationRow(db, input.id, input);
      if (!row || !conversation) throw await statusError(db, input);
      const waitSec = waitOf(row) ?? 0;
      const { name } = input.acceptedBy;
      const tally = countAccept(conversation.tally, { waitSec, name });
      const summary = summarizeSoFar({ ...conversation, tally }, { isWaiting: false });
      await setEscalationSummary(db, row.id, summary);
      const { joined } = sentencesIn(await readVersionLanguage(db, conversation));
      await addSystemTurn(db, conversation, {
        text: fillPlaceholders(joined, { name }),
        status: 'escalated',
        tally,
        silenceSec: silenceWhileEscalated(conversation.silenceTimeoutSec, timeoutOf(row)),
      });
      await emit(conversation, {
        type: 'escalation.accepted',
        data: {
          escalation_id: fromUuid('esc', row.id),
          conversation_id: fromUuid('conv', row.conversationId),
          agent_id: fromUuid('agt', row.agentId),
          accepted_by: input.acceptedBy,
          wait_sec: waitSec,
        },
      });
      count(conversation, 'accepted');
      return { ...row, summary };
    },
    beforeCommit,
  );
}

function countAccept(tally: Tally, by: { waitSec: number; name: string }): Tally {
  const { accepted, waitSec } = tally.escalations;
  const escalations = {
    ...tally.escalations,
    accepted: accepted + 1,
    waitSec: Math.max(waitSec, by.waitSec),
    acceptedBy: by.name,
  };
  return { ...tally, escalations, lacksHuman: false, hasHuman: true };
}

/**
 * Locks the conversation of an escalation. Every writer locks the conversation before the escalation, so that two
 * writers never deadlock. Returns undefined if the conversation was erased.
 * @throws ApiError not_found, also for an id of another namespace
 */
export async function lockConversationOf(db: Db, key: Key): Promise<LiveConversation | undefined> {
  const { namespace, conversationId } = await requireEscalation(db, key);
  return lockConversation(db, { namespace, id: conversationId });
}

/**
 * Returns an escalation.
 * @throws ApiError not_found, also for an id of another namespace
 */
export async function requireEscalation(db: Db, key: Key): Promise<EscalationRow> {
  return found(await readEscalation(db, key), 'escalation');
}

/**
 * Returns the error for an escalation that does not have the required status. Call it under the conversation's lock.
 */
export async function statusError(db: Db, key: Key): Promise<ApiError> {
  const { status, acceptedBy } = await requireEscalation(db, key);
  switch (status) {
    case 'requested':
      return new ApiError(
        'escalation_not_accepted',
        'Nobody has accepted the escalation yet. Accept it first.',
      );
    case 'accepted':
      return new ApiError(
        'already_accepted',
        `${acceptedBy?.name ?? 'Somebody else'} has accepted the escalation.`,
      );
    case 'declined':
    case 'timed_out':
    case 'completed':
    case 'canceled':
      return new ApiError(
        'escalation_closed',
        `The escalation is closed: its status is \`${status}\`.`,
      );
    default:
      return status satisfies never;
  }
}

/**
 * Returns an accepted escalation. Requires that `by` is the id of the human agent who accepted it. If the caller gave
 * no identity, `by` is null, and it does not matter who accepted.
 * @throws ApiError already_accepted, escalation_not_accepted, escalation_closed
 */
export async function requireAcceptedBy(
  db: Db,
  key: Key,
  by: string | null,
): Promise<EscalationRow> {
  const row = await requireEscalation(db, key);
  const isTheirs = by === null || row.acceptedBy?.id === by;
  if (row.status !== 'accepted' || !isTheirs) throw await statusError(db, key);
  return row;
}

/** Returns the time from the request to the acceptance in whole seconds, or null if nobody has accepted. */
export function waitOf(row: Pick<EscalationRow, 'requestedAt' | 'acceptedAt'>): number | null {
  return row.acceptedAt === null
    ? null
    : Math.max(0, Math.floor((row.acceptedAt - row.requestedAt) / 1_000));
}

export function timeoutOf(row: Pick<EscalationRow, 'requestedAt' | 'timesOutAt'>): number {
  return Math.round((row.timesOutAt - row.requestedAt) / 1_000);
}
