import { newUuid } from '../../../ids.ts';
import { readLiveContent, readVersionToTalk } from '../../../agents/agent-versions.sql.ts';
import type { AgentContent } from '../../../agents/agent.ts';
import type { ConversationDeps } from '../../../conversations/record/conversation-deps.ts';
import { endConversation } from '../../../conversations/ending/end-conversation.ts';
import { startConversation } from '../../../conversations/record/start-conversation.ts';
import type { Logger } from '../../../platform/observability/logger.ts';
import { finishCall, readCallById, type CallRow } from '../../calls.sql.ts';
import {
  answerByMachine,
  countLive,
  dropLine,
  insertIncoming,
  noteRinging,
} from '../../lines/lines.sql.ts';
import type { Lines } from '../../lines/lines.ts';
import type { Account, BoundNumber } from '../../providers/find-account.ts';
import { SIMULATED } from '../simulated.ts';
import { requireSigned, signedFor, type AuthenticateDeps, type Sent } from './authenticate.ts';
import { endingOf, HUNG_UP, settleCall } from '../../lines/settle-call.ts';
import { MEDIA_PATH, RELAY_PATH, VOICE_PATH } from './paths.ts';
import { becameOf } from './statuses.ts';
import { goodbyeTwiml, rejectTwiml, relayTwiml, streamTwiml } from './twiml.ts';
import { fromUuid } from '../../../ids.ts';

export type VoiceDeps = ConversationDeps &
  AuthenticateDeps & {
    lines: Pick<Lines, 'offer'>;
    /** Whether an agent of the namespace hears and speaks by providers of ours. */
    hasOwnSpeech: (namespace: string, content: AgentContent) => Promise<boolean>;
    log: Logger;
  };

/**
 * With what the address names: the uuid of the call, and, once a stream of sound is over, which one of the
 * call it was, from 1.
 */
export type SentOfCall = Sent & { callId: string | undefined; stream: number | undefined };

/**
 * What the carrier is to do with a call that comes in, one of ours that was answered, or one whose socket is
 * over. For a call that comes in: the number and its account, the agent, the count of live calls, the call and
 * its token: five statements, each by an index. Returns TwiML.
 * @throws ApiError unauthorized, rate_limited
 */
export async function answerVoice(deps: VoiceDeps, sent: SentOfCall): Promise<string> {
  if (sent.callId === undefined) {
    const { account, bound } = await signedFor(deps, sent);
    return answerIncoming(deps, { account, bound, sent });
  }
  const call = await readCallById(deps.pool, sent.callId);
  const account = call?.telephonyProviderId && (await deps.accounts.byId(call.telephonyProviderId));
  const signed = await requireSigned(deps, account || undefined, sent);
  if (!call || call.endedAt !== null) return goodbyeTwiml(undefined);
  if (sent.stream !== undefined || sent.form.has('SessionStatus'))
    return afterSocket(deps, call, sent);
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
    from: numberIn(sent.form.get('From')),
    to: number,
    provider: account.name,
    telephonyProviderId: account.id,
    providerCallId,
  });
  return connect(deps, call, content);
}

/** With a message the call is answered to say it; without one the caller hears what their network makes of it. */
function refuse(
  reason: Parameters<typeof rejectTwiml>[0],
  message: string | undefined,
  content: AgentContent | undefined,
): string {
  return message === undefined ? rejectTwiml(reason) : goodbyeTwiml(message, content?.language);
}

async function answerOutgoing(
  deps: VoiceDeps,
  { call, account, sent }: { call: CallRow; account: Account; sent: SentOfCall },
): Promise<string> {
  const { form } = sent;
  await noteRinging(deps.pool, { id: call.id, providerCallId: form.get('CallSid') ?? '' });
  const content = await contentOf(deps, account, {
    ...call,
    agentVersion: call.agentVersion ?? undefined,
  });
  if (/^(machine|fax)/.test(form.get('AnsweredBy') ?? ''))
    return leaveMessage(deps, call, account, content);
  if (!content) {
    const end = { status: 'failed', reason: 'platform_error' } as const;
    await finishCall(deps.pool, { ...end, id: call.id, from: ['queued', 'ringing'] });
    return goodbyeTwiml(undefined);
  }
  return connect(deps, call, content);
}

/** A machine has answered: it is left the provider's message, which is the whole of the conversation. */
async function leaveMessage(
  deps: VoiceDeps,
  call: CallRow,
  account: Account,
  content: AgentContent | undefined,
): Promise<string> {
  const message = account.outbound?.voicemailMessage;
  const { id, namespace, agentId, agentVersion, userId, variables, metadata } = call;
  const about = { namespace, agentId, userId, variables, metadata, callId: id };
  const version = agentVersion === null ? {} : { version: agentVersion };
  const brought = message === undefined ? [] : [{ role: 'agent' as const, text: message }];
  const reason = 'voicemail';
  try {
    const conversation = { ...about, ...version, channel: 'voice' as const, brought };
    const begun = await startConversation(deps, conversation, async (db, row) => {
      if (!(await answerByMachine(db, { id, conversationId: row.id }))) throw new CallOver();
    });
    await endConversation(deps, { namespace, id: begun.id, reason, outcome: reason });
  } catch (error) {
    if (!(error instanceof CallOver)) throw error;
  }
  return goodbyeTwiml(message, content?.language);
}

/** It was ended as the machine picked up. */
class CallOver extends Error {
  override readonly name = 'CallOver';
}

/** Its socket is over: the call is too, unless it was cut. Then another one is opened, with whoever is there. */
async function afterSocket(
  deps: VoiceDeps,
  call: CallRow,
  { form, stream }: SentOfCall,
): Promise<string> {
  const became = becameOf(form.get('CallStatus') ?? '') ?? 'live';
  // Of a stream the carrier does not say how it ended; somebody is there, so that it was cut.
  const wasCut =
    stream === undefined ? form.get('SessionStatus') === 'failed' : stream < STREAMS_MAX;
  if (became !== 'live' || !wasCut) {
    await settleCall(deps, call, endingOf(call, became === 'live' ? HUNG_UP : became));
    return goodbyeTwiml(undefined);
  }
  await dropLine(deps.pool, call.id);
  const bound = { agentId: call.agentId, agentVersion: call.agentVersion ?? undefined };
  return connect(deps, call, await contentOf(deps, call, bound), (stream ?? 0) + 1);
}

/** Of one call: a line that is cut so often does not hold. */
const STREAMS_MAX = 20;

async function connect(
  deps: VoiceDeps,
  call: CallRow,
  content: AgentContent | undefined,
  stream = 1,
): Promise<string> {
  const token = await deps.lines.offer(call.id);
  if (token === undefined) return goodbyeTwiml(undefined);
  const base = deps.baseUrl().replace(/\/+$/, '');
  const sockets = base.replace(/^http/, 'ws');
  const action = `${base}${VOICE_PATH}?call=${fromUuid('call', call.id)}`;
  const parameters = { token };
  if (content && (await deps.hasOwnSpeech(call.namespace, content))) {
    const url = `${sockets}${MEDIA_PATH}`;
    return streamTwiml({ url, action: `${action}&stream=${stream}`, parameters });
  }
  return relayTwiml({
    url: `${sockets}${RELAY_PATH}`,
    action,
    language: content?.voice?.language ?? content?.language,
    // No carrier has the voice of the samples.
    ...(content?.voice?.provider !== SIMULATED && {
      voice: content?.voice?.voiceId,
      ttsProvider: content?.voice?.provider,
    }),
    parameters,
  });
}

/** Of the version that will answer; undefined: nobody can. */
async function contentOf(
  { pool }: Pick<VoiceDeps, 'pool'>,
  { namespace }: { namespace: string },
  { agentId, agentVersion: version }: { agentId: string | null; agentVersion: number | undefined },
): Promise<AgentContent | undefined> {
  if (agentId === null) return undefined;
  const key = { namespace, id: agentId };
  const read =
    version === undefined
      ? await readLiveContent(pool, key)
      : await readVersionToTalk(pool, { ...key, version });
  return read?.content ?? undefined;
}

/** Hidden and foreign numbers come in many forms; what is none is none. */
function numberIn(text: string | null): string | null {
  return text !== null && /^\+[1-9][0-9]{1,14}$/.test(text) ? text : null;
}
