import { found } from '../../errors.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import { setFeedback, type ConversationRow } from '../record/conversations.sql.ts';

/**
 * Stores the user's rating, which replaces an earlier rating.
 * @throws ApiError not_found
 */
export async function giveFeedback(
  { pool, changed }: Pick<ConversationDeps, 'pool' | 'changed'>,
  input: { namespace: string; id: string; csat: number },
  beforeCommit: CommitHook<ConversationRow> = noCommitHook,
): Promise<ConversationRow> {
  const row = await inOneCommit(pool, beforeCommit, async (db) =>
    found(await setFeedback(db, input), 'conversation'),
  );
  changed(row.id);
  return row;
}
