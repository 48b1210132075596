import { newUuid } from '../../src/ids.ts';
import { minutesAgo, type Columns, type Rows } from '../platform/postgres/rows.ts';

/** Stores a conversation that is in progress; returns its id. */
export async function addConversation({ add }: Rows, columns: Columns): Promise<string> {
  const own = { id: newUuid(), namespace: 'default', agent_version: 1, channel: 'chat' };
  const limits = { status: 'active', max_duration_sec: 3_600, silence_timeout_sec: 60 };
  const row: Columns = { ...own, ...limits, ...columns };
  await add('conversations', row);
  return String(row['id']);
}

/** Stores a turn of a user. */
export async function addTurn(
  { add }: Rows,
  conversationId: string,
  index: number,
  columns: Columns = {},
): Promise<void> {
  const row = { conversation_id: conversationId, index, role: 'user', text: `t${index}` };
  await add('turns', { ...row, started_at_ms: 0, ended_at_ms: 0, ...columns });
}

/** Stores a turn in progress, with the message "Hi". */
export async function addLiveTurn({ add }: Rows, conversationId: string): Promise<void> {
  const row = { conversation_id: conversationId, token: newUuid(), request_id: newUuid() };
  await add('live_turns', { ...row, message: 'Hi', leased_until: minutesAgo(-1) });
}
