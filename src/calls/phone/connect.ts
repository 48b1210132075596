import { readLiveContent, readVersionToTalk } from '../../agents/agent-versions.sql.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { unitOf } from '../../conversations/record/start-conversation.ts';
import { fromUuid } from '../../ids.ts';
import type { CallRow } from '../calls.sql.ts';
import { pathsOf, type Carrier } from '../../carriers/carrier.ts';
import { SIMULATED } from '../transports/simulated.ts';
import type { VoiceDeps } from './voice-deps.ts';

type Connecting = {
  call: CallRow;
  carrier: Carrier;
  content: AgentContent | undefined;
  stream?: number;
};

/**
 * Returns the XML that tells the carrier to open a line for the call. The XML contains a one-time token. If a process
 * already owns the line, or if the call has ended, the XML tells the carrier to hang up instead. `content` is undefined
 * if no agent can answer.
 */
export async function connect(
  deps: VoiceDeps,
  { call, content, carrier, stream = 1 }: Connecting,
): Promise<string> {
  const { answers, relay, type } = carrier;
  const paths = pathsOf(type);
  const token = await deps.lines.offer(call.id);
  if (token === undefined) return answers.goodbye();
  const base = deps.baseUrl();
  const sockets = base.replace(/^http/, 'ws');
  const after = call.transfers === 0 ? '' : `&after=${call.transfers}`;
  const action = `${base}${paths.voice}?call=${fromUuid('call', call.id)}${after}`;
  const numbered = `${action}&stream=${stream}`;
  const hasOwnSpeech = content !== undefined && (await deps.hasOwnSpeech(call.namespace, content));
  if (!relay && content && !hasOwnSpeech) return answers.goodbye();
  if (!relay || hasOwnSpeech)
    return answers.stream({ url: `${sockets}${paths.media}`, action: numbered, token });
  const { voice } = content ?? {};
  return relay.answer({
    url: `${sockets}${paths.relay}`,
    action: relay.reportsEnd ? action : numbered,
    token,
    language: voice?.language ?? content?.language,
    isGreetingKept: content?.firstMessageInterruptible === false,
    // The sample agents declare the voice provider `simulated`, which no carrier supports. Their voice is therefore
    // omitted.
    ...(voice && voice.provider !== SIMULATED && { voice }),
  });
}

/**
 * Returns whether the agent can speak through this carrier: either the carrier synthesizes speech, or the agent has its
 * own ModelProviders for speech.
 */
export async function canSpeak(
  { hasOwnSpeech }: Pick<VoiceDeps, 'hasOwnSpeech'>,
  { relay }: Carrier,
  { namespace, content }: { namespace: string; content: AgentContent },
): Promise<boolean> {
  return relay !== undefined || hasOwnSpeech(namespace, content);
}

/**
 * Returns the XML that opens a new line for a call that the agent has already answered. The agent version stays the
 * same.
 */
export async function connectAgain(
  deps: VoiceDeps,
  again: Omit<Connecting, 'content'>,
): Promise<string> {
  const content = await contentOf(deps, again.call, boundTo(again.call));
  return connect(deps, { ...again, content });
}

export const boundTo = ({ id, userId, agentId, agentVersion }: CallRow) => ({
  agentId,
  agentVersion: agentVersion ?? undefined,
  unit: unitOf({ id, userId, callId: id }),
});

/**
 * Returns the content of the agent version that answers the call. If that version was recalled, returns the content of
 * the live version. Returns undefined if no version can answer.
 */
export async function contentOf(
  { pool }: Pick<VoiceDeps, 'pool'>,
  { namespace }: { namespace: string },
  {
    agentId,
    agentVersion: version,
    unit,
  }: {
    agentId: string | null;
    agentVersion: number | undefined;
    /**
     * Value by which a rollout assigns the call to a version (see `unitOf`). The conversation must start with the same
     * value.
     */
    unit?: string;
  },
): Promise<AgentContent | undefined> {
  if (agentId === null) return undefined;
  const key = { namespace, id: agentId };
  const given =
    version === undefined ? undefined : await readVersionToTalk(pool, { ...key, version });
  const isGiven = given && !given.isRecalled;
  const read = isGiven ? given : await readLiveContent(pool, { ...key, unit });
  return read?.content ?? undefined;
}
