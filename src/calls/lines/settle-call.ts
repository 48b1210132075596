import { ApiError } from '../../errors.ts';
import { endConversation } from '../../conversations/ending/end-conversation.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { ANSWERED, finishCall, type CallRow } from '../calls.sql.ts';
import type { Became } from '../transports/transport.ts';

export type CallEnding = { status: CallRow['status']; reason: string };

/** How a call ends, given what its carrier says became of it. */
export function endingOf(call: CallRow, became: Exclude<Became, 'live'>): CallEnding {
  const isAnswered = isOneOf(call.status, ANSWERED);
  if (isTransferred(call) && (became === undefined || became.status === 'completed'))
    return TRANSFERRED;
  if (became === undefined) {
    if (isAnswered) return { status: 'failed', reason: 'platform_error' };
    return call.direction === 'inbound'
      ? { status: 'no_answer', reason: 'no_answer' }
      : { status: 'failed', reason: 'dial_failed' };
  }
  if (became.status !== 'completed' || isAnswered) return became;
  // The carrier connected it, and it never came to a conversation: the caller was gone, or we were.
  return call.direction === 'inbound'
    ? { status: 'no_answer', reason: 'no_answer' }
    : { status: 'failed', reason: 'platform_error' };
}

/** Whose line was closed in an orderly way, and not by the end of the conversation. */
export const HUNG_UP = { status: 'completed', reason: 'user_hangup' } as const;

/** Two people talk, and the carrier connects them. */
export const isTransferred = ({ transferStatus }: Pick<CallRow, 'transferStatus'>): boolean =>
  transferStatus === 'answered';

/** How their call ends. */
export const TRANSFERRED = { status: 'completed', reason: 'transferred' } as const;

const isOneOf = (status: CallRow['status'], all: readonly CallRow['status'][]): boolean =>
  all.includes(status);

/** Somebody else has ended it, or it may not end: what was begun in the transaction is undone. */
export class Settled extends Error {
  override readonly name = 'Settled';
}

/**
 * Ends a call with its conversation in one transaction. `finish` ends the call's row; undefined: it may not, or
 * somebody else did. False: nothing was ended here.
 */
export async function settleCall(
  deps: ConversationDeps,
  call: CallRow,
  end: CallEnding,
  finish: (db: Db) => Promise<CallRow | undefined> = (db) =>
    finishCall(db, { ...end, id: call.id, from: ['queued', 'ringing', ...ANSWERED] }),
): Promise<boolean> {
  const { namespace, conversationId } = call;
  // With a person who picked up, the conversation has ended.
  if (conversationId === null || isTransferred(call))
    return (await finish(deps.pool)) !== undefined;
  const reason = end.reason === 'user_hangup' ? 'user_hangup' : 'platform_error';
  try {
    await endConversation(deps, { namespace, id: conversationId, reason }, async (db) => {
      if (!(await finish(db))) throw new Settled();
    });
    return true;
  } catch (error) {
    // The call of a conversation that has ended is found by the sweep of those.
    if (error instanceof Settled || error instanceof ApiError) return false;
    throw error;
  }
}
