import {
  lockConversationOf,
  requireAcceptedBy,
  timeoutOf,
  statusError,
} from './accept-escalation.ts';
import { keepEscalationRow } from './escalations.sql.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { addTurns, type MessageResult } from '../record/turns.sql.ts';
import { silenceWhileEscalated } from './request-escalation.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import { plainTurn } from '../record/plain-turn.ts';

/**
 * Adds a message from the human agent who accepted the escalation.
 * @throws ApiError not_found, escalation_not_accepted, escalation_closed
 */
export async function sayAsHuman(
  deps: ConversationDeps,
  input: { namespace: string; id: string; text: string; by: string | null },
  beforeCommit?: CommitHook<MessageResult>,
): Promise<MessageResult> {
  const result = await inConversation(
    deps,
    async ({ db }) => {
      const conversation = await lockConversationOf(db, input);
      const escalation = await requireAcceptedBy(db, input, input.by);
      if (!conversation) throw await statusError(db, input);
      if (escalation.heartbeatSec !== null) await keepEscalationRow(db, input);
      const personName = escalation.acceptedBy?.name ?? null;
      const turn = { ...plainTurn(conversation, 'human', input.text), personName };
      const { silenceTimeoutSec } = conversation;
      const updated = await addTurns(db, {
        conversation,
        turns: [turn],
        tally: { ...conversation.tally, endedAtMs: turn.endedAtMs },
        status: 'escalated',
        silenceSec: silenceWhileEscalated(silenceTimeoutSec, timeoutOf(escalation)),
      });
      if (!updated) throw new Error(`conversation ${conversation.id} changed under its lock`);
      return { turns: [turn], conversation: updated };
    },
    beforeCommit,
  );
  deps.changed(result.conversation.id);
  return result;
}
