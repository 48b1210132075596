import { fromUuid } from '../../ids.ts';
import {
  lockWithoutSummary,
  setSummary,
  type ConversationRow,
} from '../record/conversations.sql.ts';
import {
  inConversation,
  transcriptUrl,
  type ConversationDeps,
} from '../record/conversation-deps.ts';
import { summarize } from '../record/summarize.ts';

/**
 * Writes the summary of an ended conversation and tells that its transcript is complete: exactly
 * once, whoever calls it how often, since the summary that is missing is what asks for it.
 */
export function completeTranscript(
  deps: ConversationDeps,
  id: string,
): Promise<ConversationRow | undefined> {
  return inConversation(deps, async ({ db, emit }) => {
    const row = await lockWithoutSummary(db, id);
    if (!row) return undefined;
    const summary = summarize(row);
    await setSummary(db, id, summary);
    await emit(row, {
      type: 'conversation.transcript.ready',
      data: {
        conversation_id: fromUuid('conv', row.id),
        agent_id: fromUuid('agt', row.agentId),
        agent_version: row.agentVersion,
        transcript_url: transcriptUrl(deps, row.id),
        summary,
        turns: row.turnCount,
        outcome: row.outcome ?? 'unknown',
        csat_predicted: row.csatPredicted ?? 1, // Both were settled with the end.
      },
    });
    return { ...row, summary };
  });
}
