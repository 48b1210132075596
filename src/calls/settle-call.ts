import { ApiError } from '../errors.ts';
import { endConversation } from '../conversations/ending/end-conversation.ts';
import type { ConversationDeps } from '../conversations/record/conversation-deps.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { ANSWERED, finishCall, type CallRow } from './calls.sql.ts';
import type { Became } from './transport.ts';

export type CallEnding = { status: CallRow['status']; reason: string };

/** Returns the final status and reason of a call, given the state that its carrier reports. */
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
  // The carrier connected the call, but no conversation began: either the caller had hung up or this server failed.
  return call.direction === 'inbound'
    ? { status: 'no_answer', reason: 'no_answer' }
    : { status: 'failed', reason: 'platform_error' };
}

/** Ending of a call whose line was closed properly by the other side before the conversation ended. */
export const HUNG_UP = { status: 'completed', reason: 'user_hangup' } as const;

/**
 * Returns true if somebody has answered a transfer of the call. The caller then talks with that person and no longer
 * with the agent.
 */
export const isTransferred = ({ transferStatus }: Pick<CallRow, 'transferStatus'>): boolean =>
  transferStatus === 'answered';

/** Ending of a transferred call. */
export const TRANSFERRED = { status: 'completed', reason: 'transferred' } as const;

const isOneOf = (status: CallRow['status'], all: readonly CallRow['status'][]): boolean =>
  all.includes(status);

/** Error that rolls back a transaction, because the call may not end or another process has already ended it. */
export class Settled extends Error {
  override readonly name = 'Settled';
}

/**
 * Ends a call together with its conversation in one transaction. `finish` marks the call's row as ended, or returns
 * undefined if the call may not end or another process has already ended it. If `finish` returns undefined, nothing
 * changes and this function returns false.
 */
export async function settleCall(
  deps: ConversationDeps,
  call: CallRow,
  end: CallEnding,
  finish: (db: Db) => Promise<CallRow | undefined> = (db) =>
    finishCall(db, { ...end, id: call.id, from: ['queued', 'ringing', ...ANSWERED] }),
): Promise<boolean> {
  const { namespace, conversationId } = call;
  // The conversation of a transferred call has already ended.
  if (conversationId === null || isTransferred(call))
    return (await finish(deps.pool)) !== undefined;
  const reason = end.reason === 'user_hangup' ? 'user_hangup' : 'platform_error';
  try {
    await endConversation(deps, { namespace, id: conversationId, reason }, async (db) => {
      if (!(await finish(db))) throw new Settled();
    });
    return true;
  } catch (error) {
    // An `ApiError` means that the conversation has already ended. The call player's periodic sweep then ends the call.
    if (error instanceof Settled || error instanceof ApiError) return false;
    throw error;
  }
}
