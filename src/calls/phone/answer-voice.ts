import { fromUuid, newUuid } from '../../ids.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { closedAt } from '../../conversations/escalations/opening-hours.ts';
import { finishCall, readCallById, type CallRow } from '../calls.sql.ts';
import { dropLine, insertIncoming, noteRinging } from '../lines/lines.sql.ts';
import { endingOf, HUNG_UP, settleCall } from '../settle-call.ts';
import { countLive } from '../providers/dialing.sql.ts';
import type { Account, BoundNumber } from '../providers/find-account.ts';
import type { Became } from '../transport.ts';
import { afterDial, afterHandOff } from './after-transfer.ts';
import { requireSigned, signedFor } from './authenticate.ts';
import { boundTo, canSpeak, connect, connectAgain, contentOf } from './connect.ts';
import { hasVoicemail, leaveMessage, noteMachine } from './machine.ts';
import type { OfCall, SentOfCall, VoiceDeps } from './voice-deps.ts';

/**
 * Responds to a carrier that requests instructions for a call, and returns them as XML. Carriers request instructions
 * for a new inbound call, for an answered outbound call, after a socket has closed, and after a transfer has rung a
 * number. A new inbound call takes five SQL statements, all of which use an index: for the number with its account, the
 * agent, the count of live calls, the call, and its token.
 * @throws ApiError invalid_signature, rate_limited
 */
export async function answerVoice(deps: VoiceDeps, sent: SentOfCall): Promise<string> {
  if (sent.callId === undefined) {
    const { account, bound } = await signedFor(deps, sent);
    return answerIncoming(deps, { account, bound, sent });
  }
  const call = await readCallById(deps.pool, sent.callId);
  const account = call?.telephonyProviderId && (await deps.accounts.byId(call.telephonyProviderId));
  const signed = await requireSigned(deps, account || undefined, sent);
  const { goodbye } = sent.carrier.answers;
  if (!call || !isOf(call, sent)) return goodbye();
  if (hasVoicemail(call) && statusIn(sent) === 'live')
    return leaveMessage(deps, { call, account: signed, sent });
  if (call.endedAt !== null) return goodbye();
  if (sent.transfer !== undefined) return afterDial(deps, { call, account: signed, sent });
  if (sent.stream !== undefined || sent.callback.relayEnd !== undefined)
    return afterSocket(deps, { call, account: signed, sent });
  return answerOutgoing(deps, { call, account: signed, sent });
}

type Incoming = { account: Account; bound: BoundNumber; sent: SentOfCall };

async function answerIncoming(deps: VoiceDeps, incoming: Incoming): Promise<string> {
  const { account, bound, sent } = incoming;
  const { number, agentId, agentVersion = null } = bound;
  const { maxConcurrentCalls, busyMessage, closedMessage } = account.inbound;
  const providerCallId = sent.callback.callId;
  const id = newUuid(deps.nowMs());
  const content = await contentOf(deps, account, { ...bound, unit: fromUuid('call', id) });
  if (agentId === null || !content || providerCallId === '') {
    deps.log.warn(
      { number, provider: account.name },
      'rejected a call: no agent can answer this number',
    );
    return refuse(sent, 'rejected', closedMessage, content);
  }
  if (!(await canSpeak(deps, sent.carrier, { namespace: account.namespace, content }))) {
    deps.log.warn({ number, provider: account.name }, NEEDS_SPEECH);
    return refuse(sent, 'rejected', closedMessage, content);
  }
  const closed = closedAt(bound.hours, deps.nowMs(), content.language);
  if (closed) return refuse(sent, 'rejected', closed.said ?? closedMessage, content);
  const live = await countLive(deps.pool, {
    telephonyProviderId: account.id,
    direction: 'inbound',
    // If the carrier repeats the request, the call is already in the table and must not be counted again.
    except: providerCallId,
  });
  if (live >= maxConcurrentCalls) return refuse(sent, 'busy', busyMessage, content);
  const call = await insertIncoming(deps.pool, {
    id,
    namespace: account.namespace,
    agentId,
    agentVersion,
    from: callerNumber(sent.callback.from),
    to: number,
    provider: account.name,
    telephonyProviderId: account.id,
    providerCallId,
  });
  return connect(deps, { call, carrier: sent.carrier, content });
}

/**
 * Refuses a call. If there is a message, answers the call and speaks the message. Otherwise rejects the call, so that
 * the caller hears a signal from their network, such as the busy tone.
 */
function refuse(
  { carrier: { answers } }: Pick<SentOfCall, 'carrier'>,
  reason: 'busy' | 'rejected',
  message: string | undefined,
  content: AgentContent | undefined,
): string {
  return message === undefined
    ? answers.reject(reason)
    : answers.goodbye(message, content?.language);
}

async function answerOutgoing(deps: VoiceDeps, { call, account, sent }: OfCall): Promise<string> {
  const { callback, carrier } = sent;
  await noteRinging(deps.pool, { id: call.id, providerCallId: callback.callId });
  if (callback.isMachine) {
    await noteMachine(deps, call, account);
    return leaveMessage(deps, { call, account, sent });
  }
  const content = await contentOf(deps, account, boundTo(call));
  const { namespace } = call;
  if (!content || !(await canSpeak(deps, carrier, { namespace, content }))) {
    if (content) deps.log.warn({ call: call.id, provider: account.name }, NEEDS_SPEECH);
    const end = { status: 'failed', reason: 'platform_error' } as const;
    await finishCall(deps.pool, { ...end, id: call.id, from: ['queued', 'ringing'] });
    return sent.carrier.answers.goodbye();
  }
  return connect(deps, { call, carrier, content });
}

const NEEDS_SPEECH =
  'rejected a call: neither the carrier nor the agent provides speech; declare `voice` and `transcriber`';

/**
 * Returns whether a request whose URL contains the ID of a call belongs to that call. The check is necessary because
 * not every carrier signs the URL. While the carrier's ID for the call is unknown, there is nothing to compare, and the
 * result is true.
 */
export function isOf(
  { providerCallId }: CallRow,
  { callback }: Pick<SentOfCall, 'callback'>,
): boolean {
  return providerCallId === null || providerCallId === callback.callId;
}

/**
 * Responds to the carrier's request after a socket has closed. If the socket was closed for a transfer, the response
 * tells the carrier to ring the number. If the socket was interrupted, the response tells the carrier to open a new
 * one. In all other cases, the call ends.
 */
async function afterSocket(deps: VoiceDeps, ofCall: OfCall): Promise<string> {
  const { call, sent } = ofCall;
  const { callback, carrier, stream } = sent;
  const became = statusIn(sent);
  if (became === 'live' && sent.after < call.transfers) return afterHandOff(deps, ofCall);
  // Some carriers do not report how the socket ended. For these, a call that is still live means that the socket was
  // interrupted.
  const wasCut = stream === undefined ? callback.relayEnd === 'failed' : stream < STREAMS_MAX;
  if (became !== 'live' || !wasCut) {
    await settleCall(deps, call, endingOf(call, became === 'live' ? HUNG_UP : became));
    return sent.carrier.answers.goodbye();
  }
  await dropLine(deps.pool, call.id);
  return connectAgain(deps, { call, carrier, stream: (stream ?? 0) + 1 });
}

/** Returns the state of the call. A request without a state means that the call is live. */
function statusIn({ callback }: Pick<SentOfCall, 'callback'>): NonNullable<Became> {
  return callback.state ?? 'live';
}

/**
 * Maximum number of sockets that are opened for a call, one after the other. When the last of them closes, the call
 * ends, because a further socket is unlikely to be stable. Applies only to carriers that do not report how a socket
 * ended.
 */
const STREAMS_MAX = 20;

/**
 * Words that networks send as digits when callers hide their number. Each letter becomes its digit on a telephone
 * keypad: +266696687 spells "anonymous".
 */
const HIDDEN_WORDS = [
  'anonymous',
  'blocked',
  'no caller id',
  'no id',
  'not available',
  'private',
  'restricted',
  'unavailable',
  'unknown',
  'withheld',
];
const KEYS = ['', '', 'abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];
const HIDDEN = new Set(HIDDEN_WORDS.map((word) => `+${keyed(word)}`));

/** Returns the caller's E.164 number, or null if the network sends no number or a word in its place. */
export function callerNumber(text: string | null): string | null {
  if (text === null || !/^\+[1-9][0-9]{1,14}$/.test(text)) return null;
  return HIDDEN.has(text) ? null : text;
}

function keyed(word: string): string {
  return word
    .replaceAll(' ', '')
    .replaceAll(/./g, (letter) => String(KEYS.findIndex((key) => key.includes(letter))));
}
