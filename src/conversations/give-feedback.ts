import { found } from '../errors.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../platform/postgres/commit-hook.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { setFeedback, type ConversationRow } from './record/conversations.sql.ts';

/** Stores the user's rating; a later one replaces it. @throws ApiError not_found */
export function giveFeedback(
  { pool }: { pool: Pool },
  input: { namespace: string; id: string; csat: number },
  beforeCommit: CommitHook<ConversationRow> = noCommitHook,
): Promise<ConversationRow> {
  return inOneCommit(pool, beforeCommit, async (db) =>
    found(await setFeedback(db, input), 'conversation'),
  );
}
