import { closeEscalationRow, type EscalationRow } from './escalations.sql.ts';
import { summarizeSoFar } from '../record/summarize.ts';
import type { Tally } from '../record/tally.ts';
import { lockConversationOf, statusError } from './accept-escalation.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { addSystemTurn } from './request-escalation.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';

/** How an escalation ends before its conversation does; the agent goes on (contract §4). */
export type Closing = 'declined' | 'timed_out' | 'completed';

const NOBODY = 'Nobody is free to take over right now. The assistant goes on.';

const RULES = {
  declined: { from: 'requested', counts: 'declined' },
  timed_out: { from: 'requested', counts: 'timedOut' },
  completed: { from: 'accepted', counts: undefined },
} as const;

/**
 * @throws ApiError not_found, escalation_closed; already_accepted (declining),
 *   escalation_not_accepted (completing)
 */
export async function closeEscalation(
  deps: ConversationDeps,
  input: { namespace: string; id: string; to: Closing },
  beforeCommit?: CommitHook<EscalationRow>,
): Promise<EscalationRow> {
  const { from, counts } = RULES[input.to];
  const closed = await inConversation(
    deps,
    async ({ db, count }) => {
      const conversation = await lockConversationOf(db, input);
      const summary =
        conversation && from === 'accepted' ? summarizeSoFar(conversation.tally) : null;
      const row = await closeEscalationRow(db, input.id, { from, to: input.to, summary });
      if (!row || !conversation) throw await statusError(db, input);
      await addSystemTurn(db, conversation, {
        text:
          from === 'requested'
            ? NOBODY
            : `${row.acceptedBy?.name} has left. The assistant goes on.`,
        status: 'active',
        tally: counts === undefined ? conversation.tally : countOne(conversation.tally, counts),
        silenceSec: conversation.silenceTimeoutSec,
      });
      count(input.to);
      return row;
    },
    beforeCommit,
  );
  deps.changed(closed.conversationId);
  return closed;
}

function countOne(tally: Tally, what: 'declined' | 'timedOut'): Tally {
  const escalations = { ...tally.escalations, [what]: tally.escalations[what] + 1 };
  return { ...tally, escalations };
}
