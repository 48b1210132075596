import { readVersionLanguage } from '../../agents/agent-versions.sql.ts';
import { fromUuid } from '../../ids.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { summarizeSoFar } from '../record/summarize.ts';
import { fillPlaceholders } from '../record/fill-placeholders.ts';
import { sentencesIn } from '../sentences/sentences.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import {
  lockConversationOf,
  requireAcceptedBy,
  statusError,
  timeoutOf,
} from './accept-escalation.ts';
import { keepEscalationRow, releaseEscalationRow, type EscalationRow } from './escalations.sql.ts';
import { addSystemTurn, silenceWhileEscalated } from './request-escalation.ts';

type Key = { namespace: string; id: string };

/**
 * Records a heartbeat of the human agent who accepted. Uses one statement, and does not lock the conversation.
 * @throws ApiError not_found, already_accepted, escalation_not_accepted, escalation_closed
 */
export async function keepEscalation(
  { pool }: Pick<ConversationDeps, 'pool'>,
  input: Key & { by: string | null },
): Promise<EscalationRow> {
  const row = await keepEscalationRow(pool, input);
  return row ?? requireAcceptedBy(pool, input, input.by);
}

/**
 * Puts an accepted escalation back into the queue, because the human agent who accepted it has left or wants a
 * colleague to take over. Requests a human agent from the given team, by default from the same team. The agent does not
 * reply in the meantime. The emitted event, `escalation.requested`, names the human agent who had accepted. If `isDue`
 * is set, throws unless the heartbeat is overdue.
 * @throws ApiError not_found, already_accepted, escalation_not_accepted, escalation_closed
 */
export async function releaseEscalation(
  deps: ConversationDeps,
  input: Key & { by: string | null; team: string | null; isDue?: boolean },
  beforeCommit?: CommitHook<EscalationRow>,
): Promise<EscalationRow> {
  const released = await inConversation(
    deps,
    async ({ db, emit, count }) => {
      const conversation = await lockConversationOf(db, input);
      const { acceptedBy } = await requireAcceptedBy(db, input, input.by);
      if (!conversation || !acceptedBy) throw await statusError(db, input);
      const tally = { ...conversation.tally, lacksHuman: true, hasHuman: false };
      const row = await releaseEscalationRow(db, input.id, {
        team: input.team,
        summary: summarizeSoFar({ ...conversation, tally }, { isWaiting: true }),
        isDue: input.isDue === true,
      });
      if (!row) throw await statusError(db, input);
      const { leftOthersAsked } = sentencesIn(await readVersionLanguage(db, conversation));
      await addSystemTurn(db, conversation, {
        text: fillPlaceholders(leftOthersAsked, acceptedBy),
        status: 'escalated',
        tally,
        silenceSec: silenceWhileEscalated(conversation.silenceTimeoutSec, timeoutOf(row)),
      });
      await emit(conversation, {
        type: 'escalation.requested',
        data: {
          escalation_id: fromUuid('esc', row.id),
          conversation_id: fromUuid('conv', row.conversationId),
          agent_id: fromUuid('agt', row.agentId),
          reason: row.reason,
          summary: row.summary,
          ...(row.team !== null && { team: row.team }),
          released_by: acceptedBy,
        },
      });
      count(conversation, 'released');
      return row;
    },
    beforeCommit,
  );
  deps.changed(released.conversationId);
  return released;
}
