import { inConversation, lockLive, type ConversationDeps } from '../record/conversation-deps.ts';
import { plainTurn } from '../record/plain-turn.ts';
import { addTurns } from '../record/turns.sql.ts';

/**
 * Words of the client's program in the midst of a talk, as turns of the role `system`.
 * @throws ApiError not_found, conversation_ended
 */
export async function addNotes(
  deps: ConversationDeps,
  { namespace, id, notes }: { namespace: string; id: string; notes: readonly string[] },
): Promise<void> {
  await inConversation(deps, async ({ db }) => {
    const conversation = await lockLive(db, { namespace, id });
    const turns = notes.map((text, i) => {
      const turn = plainTurn(conversation, 'system', text);
      return { ...turn, index: turn.index + i };
    });
    const { tally, status, silenceTimeoutSec: silenceSec } = conversation;
    if (status !== 'active' && status !== 'escalated') return;
    await addTurns(db, { conversation, turns, tally, status, silenceSec });
  });
}
