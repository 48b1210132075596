import { lockExpired, type ConversationRow } from '../record/conversations.sql.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { afterEnd, endLocked, reasonOfExpiry } from './end-conversation.ts';
import { noCommitHook } from '../../platform/postgres/commit-hook.ts';

/** Ends a conversation if its time is over and nobody else is at it. */
export async function endExpired(deps: ConversationDeps, id: string): Promise<void> {
  const ended = await inConversation<ConversationRow | undefined>(
    deps,
    async (transaction) => {
      const row = await lockExpired(transaction.db, id);
      return row && endLocked({ ...transaction, deps }, row, { reason: reasonOfExpiry(row) });
    },
    noCommitHook,
  );
  if (ended) await afterEnd(deps, ended);
}
