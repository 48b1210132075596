import { ApiError, found } from '../../errors.ts';
import { readVersionLanguage } from '../../agents/agent-versions.sql.ts';
import { addSystemTurn } from '../../conversations/escalations/request-escalation.ts';
import { sentencesIn } from '../../conversations/sentences/sentences.ts';
import {
  inConversation,
  lockLive,
  type ConversationDeps,
} from '../../conversations/record/conversation-deps.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { readCall, type CallRow } from '../calls.sql.ts';
import { requireCallable } from '../providers/choose-provider.ts';
import { isTransferred } from '../settle-call.ts';
import type { Account, Accounts } from '../providers/find-account.ts';
import { askTransfer } from './acts.sql.ts';

export type ActDeps = ConversationDeps & {
  accounts: Pick<Accounts, 'byId'>;
  /** Notifies the process that owns the call's line that requests are pending. Takes the call's UUID. Does not wait. */
  wakeLine: (callId: string) => void;
};

type Asked = { namespace: string; id: string; to: string };

/**
 * Time in seconds for the agent to finish speaking before the carrier rings the number. The ringing itself lasts up to
 * `ringSec`, as for an outbound call.
 */
export const BEFORE_RINGING_SEC = 120;

/**
 * Requests the transfer of a call to another number. The process that owns the line lets the agent finish speaking and
 * closes the line. The carrier then requests instructions from this server, which responds with the instruction to ring
 * the number. A repeated request for the number that is already ringing changes nothing.
 * @throws ApiError not_found, call_ended, call_not_connected, call_transferring, invalid_body (a number that may not be
 * called)
 */
export async function transferCall(
  deps: ActDeps,
  asked: Asked,
  beforeCommit: CommitHook<CallRow> = noCommitHook,
): Promise<CallRow> {
  const call = found(await readCall(deps.pool, asked), 'call');
  if (call.status === 'transferring' && call.transferTo === asked.to) {
    return inOneCommit(deps.pool, beforeCommit, async () => call);
  }
  const { account, conversationId } = await requireConnected(deps, call);
  const { ringSec } = await requireCallable(account, asked.to, '/to');
  const transferring = await inConversation(
    deps,
    async ({ db, later }) => {
      const row = await lockLive(db, { namespace: call.namespace, id: conversationId });
      const asking = await askTransfer(db, { id: call.id, to: asked.to, escalationId: null });
      if (!asking) throw notConnected('The call changed during this request. Read the call again.');
      const { transferred } = sentencesIn(await readVersionLanguage(db, row));
      await addSystemTurn(db, row, {
        text: transferred,
        status: row.status === 'escalated' ? 'escalated' : 'active',
        tally: row.tally,
        silenceSec: Math.max(row.silenceTimeoutSec, BEFORE_RINGING_SEC + ringSec),
      });
      later(() => deps.wakeLine(call.id));
      return asking;
    },
    beforeCommit,
  ).catch((error: unknown) => {
    const isOver = error instanceof ApiError && error.code === 'conversation_ended';
    throw isOver ? callEnded() : error;
  });
  deps.changed(conversationId);
  return transferring;
}

/**
 * Returns the account and the conversation of a carrier call whose caller is connected to the agent.
 * @throws ApiError call_ended, call_not_connected, call_transferring
 */
export async function requireConnected(
  { accounts }: Pick<ActDeps, 'accounts'>,
  call: CallRow,
): Promise<{ account: Account; conversationId: string }> {
  const { conversationId, telephonyProviderId, status } = call;
  if (call.endedAt !== null) throw callEnded();
  if (telephonyProviderId === null)
    throw notConnected('The call is simulated and has no telephone line.');
  if (isTransferred(call))
    throw notConnected('The call has already been transferred, and somebody answered it.');
  if (status === 'transferring') {
    throw new ApiError(
      'call_transferring',
      `${call.transferTo} is ringing. Wait until the transfer succeeds or fails.`,
    );
  }
  if (conversationId === null) throw notConnected('Nobody has answered the call yet.');
  const account = await accounts.byId(telephonyProviderId);
  if (!account) throw notConnected("The call's TelephonyProvider was deleted.");
  return { account, conversationId };
}

export const notConnected = (detail: string): ApiError =>
  new ApiError('call_not_connected', detail);
const callEnded = (): ApiError => new ApiError('call_ended', 'The call has already ended.');
