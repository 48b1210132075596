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
 * Writes the summary of an ended conversation, with the event that its transcript is complete.
 * Done exactly once, however often it is called: only where the summary is missing.
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
        csat_predicted: row.csatPredicted ?? 1, // Both are written at the end.
      },
    });
    return { ...row, summary };
  });
}
