import { createRingPerson } from '../../calls/acts/ring-person.ts';
import type { TransportOf } from '../../calls/transports/transport.ts';
import { createTransports } from '../../calls/transports/transports.ts';
import { CARRIERS, createCarrierApis } from '../../carriers/carriers.ts';
import { relaySocket } from '../../calls/phone/relay-socket.ts';
import type { VoiceDeps } from '../../calls/phone/voice-deps.ts';
import { mediaSocket } from '../../calls/phone/media-socket.ts';
import { createPhoneTransport } from '../../calls/phone/phone-transport.ts';
import { createLines, type Lines } from '../../calls/lines/lines.ts';
import { hasOwnSpeech } from '../../voice/session/own-speech.ts';
import type { TalkDeps } from '../../voice/session/talk.ts';
import { createTimesMeter } from '../../voice/session/turn-times.ts';
import { createAccounts, type Accounts } from '../../calls/providers/find-account.ts';
import type { RingPerson } from '../../conversations/record/conversation-deps.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import type { FindEndpoint } from '../../models/model.ts';
import { createEgressFetch } from '../../platform/egress/fetch.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import { createSockets, type Sockets } from '../../platform/http/sockets/sockets.ts';
import { createSpeechProviders, type SpeechProviders } from '../../voice/speech-providers.ts';
import { createTalkLimits, type TalkLimits } from '../../talks/talk-limits.ts';
import { talkSocket } from '../../talks/talk-socket.ts';
import type { RoleContext } from '../context.ts';

/** Services for calls over the public network. */
export type Telephony = {
  accounts: Accounts;
  transportOf: TransportOf;
  /** Speech providers of agents, used where no carrier provides speech. */
  speech: SpeechProviders;
  hasOwnSpeech: VoiceDeps['hasOwnSpeech'];
  /** Wakes the line of a call (uuid), whichever process holds it. Never waits. */
  wakeLine: (callId: string) => void;
  ring: RingPerson;
  /** Receives wake-ups for calls. `holds` sets the lines of this process. */
  calls: Pick<Lines, 'look'> & { holds: (lines: Lines) => void };
  stop: () => Promise<void>;
};

export function openTelephony(
  deps: Pick<RoleContext, 'pool' | 'sealer' | 'guard' | 'log'> & {
    clockMs: () => number;
    lookup?: Lookup | undefined;
    baseUrl: () => string;
    findEndpoint: FindEndpoint;
    notifier: Pick<Notifier, 'notify'>;
  },
): Telephony {
  const { clockMs, findEndpoint, guard, log, lookup, notifier } = deps;
  const accounts = createAccounts({ ...deps, nowMs: clockMs });
  const egress = createEgressClient({ guard, ...(lookup && { lookup }) });
  const apis = createCarrierApis({ egress });
  const carried = createPhoneTransport({ ...deps, accounts, apis });
  const providers = createEgressFetch({ guard });
  const wakeLine = (callId: string): void => notifier.notify(CHANNELS.calls, [callId]);
  let held: Lines | undefined;
  return {
    accounts,
    wakeLine,
    ring: createRingPerson({ accounts, wakeLine, log }),
    calls: { look: (ids) => held?.look(ids), holds: (lines) => void (held = lines) },
    transportOf: createTransports({ carried }),
    speech: createSpeechProviders({ findEndpoint, fetch: providers.fetch, nowMs: clockMs }),
    hasOwnSpeech: (namespace, content) => hasOwnSpeech(findEndpoint, namespace, content),
    stop: async () => {
      await Promise.all([egress.stop(), providers.stop()]);
    },
  };
}

/** Opens the lines of this process and their sockets. */
export function openLines(
  deps: TalkDeps &
    Pick<Telephony, 'speech' | 'hasOwnSpeech' | 'calls'> &
    Pick<RoleContext, 'sealer' | 'metrics'>,
): { lines: Lines; sockets: Sockets; talkLimits: TalkLimits } {
  const lines = createLines(deps);
  deps.calls.holds(lines);
  const talkLimits = createTalkLimits();
  const onTimes = createTimesMeter(deps.metrics);
  const ways = { ...deps, lines, onTimes, providers: deps.speech, limits: talkLimits };
  const carried = CARRIERS.flatMap(({ media, relay, type }) => [
    ...(relay ? [relaySocket(ways, { relay, type })] : []),
    mediaSocket(ways, { media, type }),
  ]);
  return { lines, sockets: createSockets([...carried, talkSocket(ways)], deps), talkLimits };
}
