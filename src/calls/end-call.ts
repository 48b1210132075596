import { ApiError, found } from '../errors.ts';
import { ANSWERED, finishCall, readCall, type CallEnd, type CallRow } from './calls.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { ConversationDeps } from '../conversations/record/conversation-deps.ts';
import { endConversation } from '../conversations/ending/end-conversation.ts';
import type { TransportOf } from './transport.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../platform/postgres/commit-hook.ts';

export type EndCallDeps = ConversationDeps & { transportOf: TransportOf };

/**
 * Hangs up. An unanswered call is canceled. An answered call is completed, and its conversation ends in the same
 * transaction.
 * @throws ApiError not_found, call_ended
 */
export async function endCall(
  deps: EndCallDeps,
  key: { namespace: string; id: string },
  beforeCommit: CommitHook<CallRow> = noCommitHook,
): Promise<CallRow> {
  for (;;) {
    const call = found(await readCall(deps.pool, key), 'call');
    if (call.endedAt !== null) throw callEnded();
    const ended =
      call.conversationId === null
        ? await finishOnly(deps.pool, { id: call.id, ...CANCELED }, beforeCommit)
        : await endAnswered(deps, { ...call, conversationId: call.conversationId }, beforeCommit);
    // The call was answered or ended in the meantime. A status only moves forward, so the loop terminates.
    if (!ended) continue;
    await deps.transportOf(ended).hangUp(ended);
    return ended;
  }
}

const CANCELED: Omit<CallEnd, 'id'> = {
  from: ['queued', 'ringing'],
  status: 'canceled',
  reason: 'canceled',
};
const REASON = 'api';

async function endAnswered(
  deps: EndCallDeps,
  { id, namespace, conversationId }: CallRow & { conversationId: string },
  beforeCommit: CommitHook<CallRow>,
): Promise<CallRow | undefined> {
  const end: CallEnd = { id, from: ANSWERED, status: 'completed', reason: REASON };
  let ended: CallRow | undefined;
  try {
    const about = { namespace, id: conversationId, reason: REASON } as const;
    await endConversation(deps, about, async (db) => {
      ended = await finishCall(db, end);
      if (!ended) throw callEnded();
      await beforeCommit(db, ended);
    });
    return ended;
  } catch (error) {
    const isOver =
      error instanceof ApiError && ['conversation_ended', 'not_found'].includes(error.code);
    if (!isOver) throw error;
    // The conversation was ended by another request or was erased. The call must end anyway.
    return finishOnly(deps.pool, end, beforeCommit);
  }
}

function finishOnly(
  pool: Pool,
  end: CallEnd,
  beforeCommit: CommitHook<CallRow>,
): Promise<CallRow | undefined> {
  return inOneCommit<CallRow | undefined>(
    pool,
    beforeCommit === noCommitHook ? noCommitHook : async (db, row) => row && beforeCommit(db, row),
    (db) => finishCall(db, end),
  );
}

function callEnded(): ApiError {
  return new ApiError('call_ended', 'The call has already ended.');
}
