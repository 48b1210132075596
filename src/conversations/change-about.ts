import { found } from '../errors.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import type { ConversationDeps } from './record/conversation-deps.ts';
import { lockConversation, setAbout, type ConversationRow } from './record/conversations.sql.ts';

/**
 * Changes to the user and the metadata of a conversation, as a JSON merge patch: `null` removes a value, and absent
 * members stay unchanged.
 */
export type AboutPatch = {
  userId?: string | null | undefined;
  metadata?: Readonly<Record<string, string | null>> | null | undefined;
};

/**
 * Changes the user and the metadata of a conversation, whatever its status. Events that were emitted earlier stay as
 * they are. `check` throws if it refuses the resulting metadata.
 * @throws ApiError not_found, also for an erased conversation
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
