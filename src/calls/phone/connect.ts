import { readLiveContent, readVersionToTalk } from '../../agents/agent-versions.sql.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { fromUuid } from '../../ids.ts';
import type { CallRow } from '../calls.sql.ts';
import type { Dialect } from '../../carriers/dialect.ts';
import { SIMULATED } from '../transports/simulated.ts';
import { goodbyeTwiml, relayTwiml, streamTwiml } from '../../carriers/twiml/twiml.ts';
import type { VoiceDeps } from './voice-deps.ts';

type Connecting = {
  call: CallRow;
  dialect: Dialect;
  content: AgentContent | undefined;
  stream?: number;
};

/** Opens a line of the call; `content` undefined: nobody answers it. Returns TwiML. */
export async function connect(
  deps: VoiceDeps,
  { call, content, dialect, stream = 1 }: Connecting,
): Promise<string> {
  const { paths } = dialect;
  const token = await deps.lines.offer(call.id);
  if (token === undefined) return goodbyeTwiml(undefined);
  const base = deps.baseUrl();
  const sockets = base.replace(/^http/, 'ws');
  const after = call.transfers === 0 ? '' : `&after=${call.transfers}`;
  const action = `${base}${paths.voice}?call=${fromUuid('call', call.id)}${after}`;
  const parameters = { token };
  if (content && (await deps.hasOwnSpeech(call.namespace, content))) {
    const url = `${sockets}${paths.media}`;
    const attributes = dialect.stream;
    return streamTwiml({ url, action: `${action}&stream=${stream}`, attributes, parameters });
  }
  return relayTwiml({
    url: `${sockets}${paths.relay}`,
    action: dialect.tellsRelayEnd ? action : `${action}&stream=${stream}`,
    language: content?.voice?.language ?? content?.language,
    isGreetingKept: content?.firstMessageInterruptible === false,
    // No carrier has the voice of the samples.
    ...(content?.voice && content.voice.provider !== SIMULATED && dialect.voice(content.voice)),
    parameters,
  });
}

/** Opens another line of a call, as the version that answered it. */
export async function connectAgain(
  deps: VoiceDeps,
  again: Omit<Connecting, 'content'>,
): Promise<string> {
  const content = await contentOf(deps, again.call, boundTo(again.call));
  return connect(deps, { ...again, content });
}

export const boundTo = ({ agentId, agentVersion }: CallRow) => ({
  agentId,
  agentVersion: agentVersion ?? undefined,
});

/** Of the version that will answer; undefined: nobody can. */
export async function contentOf(
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
