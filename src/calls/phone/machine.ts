import { ApiError } from '../../errors.ts';
import { addSystemTurn } from '../../conversations/escalations/request-escalation.ts';
import { breakOffTurn } from '../../conversations/ending/break-off-turn.ts';
import {
  afterEnd,
  endConversation,
  endLocked,
} from '../../conversations/ending/end-conversation.ts';
import { inConversation, lockLive } from '../../conversations/record/conversation-deps.ts';
import { startConversation } from '../../conversations/record/start-conversation.ts';
import { ANSWERED, finishCall, type CallRow } from '../calls.sql.ts';
import { answerByMachine } from '../lines/lines.sql.ts';
import { isTransferred } from '../settle-call.ts';
import type { Account } from '../providers/find-account.ts';
import { boundTo, contentOf } from './connect.ts';
import type { OfCall, VoiceDeps } from './voice-deps.ts';

/**
 * Voicemail: an answering machine answers an outbound call. The carrier connects the call immediately and detects
 * machines during the call (asynchronous detection), so that a person who answers does not have to wait. When it
 * detects a machine, the call ends with the reason `voicemail`, and the process that owns the line closes it. The
 * carrier then requests more XML, which speaks the provider's message and hangs up.
 */

const VOICEMAIL = 'voicemail';

/**
 * Returns whether an answering machine has answered. If so, the response to every later request for instructions speaks
 * the voicemail message.
 */
export function hasVoicemail({ endedReason }: Pick<CallRow, 'endedReason'>): boolean {
  return endedReason === VOICEMAIL;
}

/**
 * Records that an answering machine has answered. Ignores a repeated report and a report about a call that has ended.
 */
export async function noteMachine(deps: VoiceDeps, call: CallRow, account: Account): Promise<void> {
  // The call was already transferred, so the report must not end it.
  if (isTransferred(call)) return;
  if (call.conversationId === null && (await startWithMessage(deps, call, account))) return;
  const end = { id: call.id, from: ANSWERED, status: 'completed', reason: VOICEMAIL } as const;
  if (await finishCall(deps.pool, end)) deps.wakeLine(call.id);
}

/**
 * Stores the voicemail message, if one is declared, as the last turn of the conversation. Returns the XML that speaks
 * it.
 */
export async function leaveMessage(
  deps: VoiceDeps,
  { account, call, sent }: OfCall,
): Promise<string> {
  const message = account.outbound?.voicemailMessage;
  await closeMailbox(deps, call, message);
  const content = await contentOf(deps, account, boundTo(call));
  return sent.carrier.answers.goodbye(message, content?.language);
}

/**
 * Ends the conversation of a call that an answering machine has answered, if the conversation is still live. `message`
 * becomes its last turn.
 */
export async function closeMailbox(
  deps: VoiceDeps,
  { namespace, conversationId }: CallRow,
  message?: string,
): Promise<void> {
  if (conversationId === null) return;
  const ending = { reason: VOICEMAIL, outcome: VOICEMAIL } as const;
  try {
    const ended = await inConversation(deps, async (transaction) => {
      const key = { namespace, id: conversationId };
      const row = await breakOffTurn(transaction, await lockLive(transaction.db, key));
      const said = message === undefined ? row : await withMessage(transaction.db, row, message);
      return endLocked({ ...transaction, deps }, { ...row, ...said }, ending);
    });
    afterEnd(deps, ended, { isOutcomeStated: true });
  } catch (error) {
    // The conversation has already ended, or was erased.
    if (!(error instanceof ApiError)) throw error;
  }
}

function withMessage(
  db: Parameters<typeof addSystemTurn>[0],
  row: Parameters<typeof addSystemTurn>[1],
  text: string,
): ReturnType<typeof addSystemTurn> {
  return addSystemTurn(db, row, {
    role: 'agent',
    text,
    status: row.status === 'escalated' ? 'escalated' : 'active',
    tally: row.tally,
    silenceSec: row.silenceTimeoutSec,
  });
}

/**
 * Stores a conversation that consists only of the voicemail message, because the carrier detected the machine before it
 * opened a line. Returns false if a line was opened or the call ended in the meantime.
 */
async function startWithMessage(
  deps: VoiceDeps,
  call: CallRow,
  account: Account,
): Promise<boolean> {
  const message = account.outbound?.voicemailMessage;
  const { id, namespace, agentId, agentVersion, userId, variables, metadata } = call;
  const about = { namespace, agentId, userId, variables, metadata, callId: id };
  const version = agentVersion === null ? {} : { version: agentVersion };
  const brought = message === undefined ? [] : [{ role: 'agent' as const, text: message }];
  try {
    const conversation = { ...about, ...version, channel: 'voice' as const, brought };
    const begun = await startConversation(deps, conversation, async (db, row) => {
      if (!(await answerByMachine(db, { id, conversationId: row.id }))) throw new CallOver();
    });
    const ending = { namespace, id: begun.id, reason: VOICEMAIL, outcome: VOICEMAIL } as const;
    await endConversation(deps, ending);
    return true;
  } catch (error) {
    if (error instanceof CallOver) return false;
    throw error;
  }
}

/** Error that rolls back the transaction, because the call was answered or ended in the meantime. */
class CallOver extends Error {
  override readonly name = 'CallOver';
}
