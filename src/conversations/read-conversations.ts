import {
  listConversations,
  readConversation,
  setFeedback,
  type ConversationFilter,
  type ConversationRow,
} from './record/conversations.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { listTurns, type TurnRow } from './record/turns.sql.ts';
import { noSuchConversation } from './record/conversation-deps.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../platform/postgres/commit-hook.ts';

type Deps = { pool: Pool };
type Key = { namespace: string; id: string };

export function listConversationPage(
  { pool }: Deps,
  filter: ConversationFilter,
): Promise<ConversationRow[]> {
  return listConversations(pool, filter);
}

/** @throws ApiError not_found, for another namespace's id too */
export async function requireConversation({ pool }: Deps, key: Key): Promise<ConversationRow> {
  const row = await readConversation(pool, key);
  if (!row) throw noSuchConversation();
  return row;
}

/** What the user says of it; again, and it is replaced. @throws ApiError not_found */
export function giveFeedback(
  { pool }: Deps,
  input: Key & { csat: number },
  beforeCommit: CommitHook<ConversationRow> = noCommitHook,
): Promise<ConversationRow> {
  return inOneCommit(pool, beforeCommit, async (db) => {
    const row = await setFeedback(db, input);
    if (!row) throw noSuchConversation();
    return row;
  });
}

/** A page holds at most this many messages of at most 32,000 characters in memory. */
const PAGE = 200;

/** The turns there were when it was asked for, oldest first, a page at a time. */
export async function* readTurns(
  { pool }: Deps,
  { id, turnCount }: Pick<ConversationRow, 'id' | 'turnCount'>,
): AsyncGenerator<TurnRow[]> {
  for (let from = 0; from < turnCount; from += PAGE) {
    const limit = Math.min(PAGE, turnCount - from);
    yield await listTurns(pool, { conversationId: id, from, limit });
  }
}
