import type { CarrierOf } from '../../calls/carriers/carrier.ts';
import { createCarriers } from '../../calls/carriers/carriers.ts';
import { relaySocket } from '../../calls/carriers/twilio/relay-socket.ts';
import type { VoiceDeps } from '../../calls/carriers/twilio/answer-voice.ts';
import { mediaSocket } from '../../calls/carriers/twilio/media-socket.ts';
import { createTwilioApi } from '../../calls/carriers/twilio/twilio-api.ts';
import { createTwilioCarrier } from '../../calls/carriers/twilio/twilio-carrier.ts';
import { createLines, type Lines } from '../../calls/lines/lines.ts';
import { hasOwnSpeech } from '../../calls/lines/own-speech.ts';
import type { TalkDeps } from '../../calls/lines/talk.ts';
import { createTimesMeter } from '../../calls/lines/turn-times.ts';
import { createAccounts, type Accounts } from '../../calls/providers/find-account.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import type { FindEndpoint } from '../../models/model.ts';
import { createEgressFetch } from '../../platform/egress/fetch.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import { createSockets, type Sockets } from '../../platform/http/sockets/sockets.ts';
import {
  createSpeechProviders,
  type SpeechProviders,
} from '../../speech/providers/speech-providers.ts';
import { createTalkLimits, type TalkLimits } from '../../talks/talk-limits.ts';
import { talkSocket } from '../../talks/talk-socket.ts';
import type { RoleContext } from '../context.ts';

/** What calls over the public network go by. */
export type Telephony = {
  accounts: Accounts;
  carrierOf: CarrierOf;
  /** What agents hear and speak with where no carrier does. */
  speech: SpeechProviders;
  hasOwnSpeech: VoiceDeps['hasOwnSpeech'];
  stop: () => Promise<void>;
};

export function openTelephony(
  deps: Pick<RoleContext, 'pool' | 'sealer' | 'guard' | 'log'> & {
    clockMs: () => number;
    lookup?: Lookup | undefined;
    baseUrl: () => string;
    findEndpoint: FindEndpoint;
  },
): Telephony {
  const { clockMs, findEndpoint, guard, lookup } = deps;
  const accounts = createAccounts({ ...deps, nowMs: clockMs });
  const egress = createEgressClient({ guard, ...(lookup && { lookup }) });
  const carried = createTwilioCarrier({ ...deps, accounts, api: createTwilioApi({ egress }) });
  const providers = createEgressFetch({ guard });
  return {
    accounts,
    carrierOf: createCarriers({ carried }),
    speech: createSpeechProviders({ findEndpoint, fetch: providers.fetch, nowMs: clockMs }),
    hasOwnSpeech: (namespace, content) => hasOwnSpeech(findEndpoint, namespace, content),
    stop: async () => {
      await Promise.all([egress.stop(), providers.stop()]);
    },
  };
}

/** The lines that this process holds, and the sockets that they come by. */
export function openLines(
  deps: TalkDeps &
    Pick<Telephony, 'speech' | 'hasOwnSpeech'> &
    Pick<RoleContext, 'sealer' | 'metrics'>,
): { lines: Lines; sockets: Sockets; talkLimits: TalkLimits } {
  const lines = createLines(deps);
  const talkLimits = createTalkLimits();
  const onTimes = createTimesMeter(deps.metrics);
  const ways = { ...deps, lines, onTimes, providers: deps.speech, limits: talkLimits };
  const routes = [relaySocket(ways), mediaSocket(ways), talkSocket(ways)];
  return { lines, sockets: createSockets(routes, deps), talkLimits };
}
