import { found } from '../errors.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import type { ConversationDeps } from './record/conversation-deps.ts';
import { lockConversation, setAbout, type ConversationRow } from './record/conversations.sql.ts';

/** A JSON merge patch: null removes, what is not named stays. */
export type AboutPatch = {
  userId?: string | null | undefined;
  metadata?: Readonly<Record<string, string | null>> | null | undefined;
};

/**
 * Changes whose a conversation is and what hangs on it, in every status; events of before keep
 * their bytes. `check` throws when it refuses what the metadata would become.
 * @throws ApiError not_found, for an erased one too
 */
export async function changeAbout(
  { pool, changed }: Pick<ConversationDeps, 'pool' | 'changed'>,
  key: { namespace: string; id: string },
  { patch, check }: { patch: AboutPatch; check: (metadata: Record<string, string>) => void },
): Promise<ConversationRow> {
  const row = await inTransaction(pool, async (db) => {
    const row = found(await lockConversation(db, key), 'conversation');
    const metadata = merged(row.metadata, patch.metadata);
    check(metadata);
    const userId = patch.userId === undefined ? row.userId : patch.userId;
    return setAbout(db, { id: row.id, userId, metadata });
  });
  changed(row.id);
  return row;
}

function merged(
  metadata: Record<string, string>,
  patch: AboutPatch['metadata'],
): Record<string, string> {
  if (patch === null) return {};
  const all = Object.entries({ ...metadata, ...patch });
  return Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== null));
}
