import { newUuid } from '../../ids.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { closedAt } from '../../conversations/escalations/opening-hours.ts';
import { finishCall, readCallById, type CallRow } from '../calls.sql.ts';
import { countLive, dropLine, insertIncoming, noteRinging } from '../lines/lines.sql.ts';
import { endingOf, HUNG_UP, settleCall } from '../lines/settle-call.ts';
import type { Account, BoundNumber } from '../providers/find-account.ts';
import { callerNumber } from './caller-number.ts';
import type { Became } from '../transports/transport.ts';
import { afterDial, afterHandOff } from './after-transfer.ts';
import { requireSigned, signedFor } from './authenticate.ts';
import { boundTo, connect, connectAgain, contentOf } from './connect.ts';
import { hasVoicemail, isMachine, leaveMessage, noteMachine } from './machine.ts';
import { becameOf } from '../../carriers/twiml/statuses.ts';
import { goodbyeTwiml, rejectTwiml } from '../../carriers/twiml/twiml.ts';
import type { OfCall, SentOfCall, VoiceDeps } from './voice-deps.ts';

/**
 * What the carrier is to do with a call that comes in, one of ours that was answered, or one whose socket is
 * over. For a call that comes in: the number and its account, the agent, the count of live calls, the call and
 * its token: five statements, each by an index. Returns TwiML.
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
  if (!call || !isOf(call, sent)) return goodbyeTwiml(undefined);
  if (hasVoicemail(call) && statusIn(sent) === 'live') return leaveMessage(deps, call, signed);
  if (call.endedAt !== null) return goodbyeTwiml(undefined);
  if (sent.transfer !== undefined) return afterDial(deps, { call, account: signed, sent });
  if (sent.stream !== undefined || sent.form.has('SessionStatus'))
    return afterSocket(deps, { call, account: signed, sent });
  return answerOutgoing(deps, { call, account: signed, sent });
}

type Incoming = { account: Account; bound: BoundNumber; sent: SentOfCall };

async function answerIncoming(deps: VoiceDeps, incoming: Incoming): Promise<string> {
  const { account, bound, sent } = incoming;
  const { number, agentId, agentVersion = null } = bound;
  const { maxConcurrentCalls, busyMessage, closedMessage } = account.inbound;
  const providerCallId = sent.form.get('CallSid') ?? '';
  const content = await contentOf(deps, account, bound);
  if (agentId === null || !content || providerCallId === '') {
    deps.log.warn({ number, provider: account.name }, 'nobody can answer this number');
    return refuse('rejected', closedMessage, content);
  }
  const closed = closedAt(bound.hours, deps.nowMs(), content.language);
  if (closed) return refuse('rejected', closed.said ?? closedMessage, content);
  const live = await countLive(deps.pool, {
    telephonyProviderId: account.id,
    direction: 'inbound',
    // Of a webhook that comes twice, the call is counted already.
    except: providerCallId,
  });
  if (live >= maxConcurrentCalls) return refuse('busy', busyMessage, content);
  const call = await insertIncoming(deps.pool, {
    id: newUuid(deps.nowMs()),
    namespace: account.namespace,
    agentId,
    agentVersion,
    from: callerNumber(sent.form.get('From')),
    to: number,
    provider: account.name,
    telephonyProviderId: account.id,
    providerCallId,
  });
  return connect(deps, { call, dialect: sent.dialect, content });
}

/** With a message the call is answered to say it; without one the caller hears what their network makes of it. */
function refuse(
  reason: Parameters<typeof rejectTwiml>[0],
  message: string | undefined,
  content: AgentContent | undefined,
): string {
  return message === undefined ? rejectTwiml(reason) : goodbyeTwiml(message, content?.language);
}

async function answerOutgoing(deps: VoiceDeps, { call, account, sent }: OfCall): Promise<string> {
  const { form } = sent;
  await noteRinging(deps.pool, { id: call.id, providerCallId: form.get('CallSid') ?? '' });
  if (isMachine(sent)) {
    await noteMachine(deps, call, account);
    return leaveMessage(deps, call, account);
  }
  const content = await contentOf(deps, account, boundTo(call));
  if (!content) {
    const end = { status: 'failed', reason: 'platform_error' } as const;
    await finishCall(deps.pool, { ...end, id: call.id, from: ['queued', 'ringing'] });
    return goodbyeTwiml(undefined);
  }
  return connect(deps, { call, dialect: sent.dialect, content });
}

/** What is asked for a call is of that one: the address may not be signed. Its carrier may not have told its id. */
export function isOf({ providerCallId }: CallRow, { form }: Pick<SentOfCall, 'form'>): boolean {
  return providerCallId === null || providerCallId === form.get('CallSid');
}

/** Its socket is over: the call is too, unless it was cut. Then another one is opened, with whoever is there. */
async function afterSocket(deps: VoiceDeps, ofCall: OfCall): Promise<string> {
  const { call, sent } = ofCall;
  const { dialect, form, stream } = sent;
  const became = statusIn(sent);
  if (became === 'live' && sent.after < call.transfers) return afterHandOff(deps, ofCall);
  // Where the carrier does not say how it ended: somebody is there, so that it was cut.
  const wasCut =
    stream === undefined ? form.get('SessionStatus') === 'failed' : stream < STREAMS_MAX;
  if (became !== 'live' || !wasCut) {
    await settleCall(deps, call, endingOf(call, became === 'live' ? HUNG_UP : became));
    return goodbyeTwiml(undefined);
  }
  await dropLine(deps.pool, call.id);
  return connectAgain(deps, { call, dialect, stream: (stream ?? 0) + 1 });
}

/** Returns the state of the call. A request without a status means a live call. */
function statusIn({ form }: Pick<SentOfCall, 'form'>): NonNullable<Became> {
  return becameOf(form.get('CallStatus') ?? '') ?? 'live';
}

/** Of one call: a line that is cut so often does not hold. */
const STREAMS_MAX = 20;
