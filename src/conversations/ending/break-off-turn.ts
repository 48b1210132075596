import { endLiveTurn } from '../record/live-turns.sql.ts';
import type { ConversationTransaction } from '../record/conversation-deps.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import { plainTurn } from '../record/plain-turn.ts';
import { addTurns } from '../record/turns.sql.ts';

/**
 * Settles the turn in progress when a conversation ends. The caller must hold the conversation's lock. Stores the
 * user's message, the tool results and an empty, interrupted reply, because nobody is waiting for the actual reply. The
 * process that is generating this reply can then neither store it nor call tools.
 */
export async function breakOffTurn(
  { db, countRedacted }: Pick<ConversationTransaction, 'db' | 'countRedacted'>,
  row: LiveConversation,
): Promise<LiveConversation> {
  const live = await endLiveTurn(db, row.id);
  if (!live) return row;
  const { message, redacted } = live;
  const user = { ...plainTurn(row, 'user', message), redacted };
  const said = live.answersIndex === null ? [user] : [];
  const tools = live.tools.map((turn) => ({ ...plainTurn(row, 'tool', turn.text), ...turn }));
  const agent = { ...plainTurn(row, 'agent', ''), interrupted: true };
  const turns = [...said, ...tools, agent].map((turn, i) => ({
    ...turn,
    index: row.turnCount + i,
  }));
  const { userTurns, needs } = row.tally;
  const counts = { userTurns: userTurns + said.length, needs: needs + said.length };
  const added = await addTurns(db, {
    conversation: row,
    turns,
    tally: { ...row.tally, ...counts, endedAtMs: agent.endedAtMs },
    status: row.status === 'escalated' ? 'escalated' : 'active',
    silenceSec: row.silenceTimeoutSec,
  });
  if (!added) throw new Error(`conversation ${row.id} changed under its lock`);
  countRedacted(row, said);
  // `expiresAt` keeps its value. If the conversation timed out, this is the time when it ended, even if the expiry was
  // noticed later.
  return { ...row, ...added, expiresAt: row.expiresAt };
}
