import { actRoutes } from '../../../calls/acts/acts.routes.ts';
import { callRoutes } from '../../../calls/calls.routes.ts';
import { createLines, type Lines } from '../../../calls/lines/lines.ts';
import { hasOwnSpeech } from '../../../voice/session/voice-pipeline.ts';
import { createTimesMeter, type TurnTimes } from '../../../voice/session/turn-times.ts';
import { carrierRoutes } from '../../../calls/phone/carrier.routes.ts';
import { mediaSocket } from '../../../calls/phone/media-socket.ts';
import { relaySocket } from '../../../calls/phone/relay-socket.ts';
import type { VoiceDeps } from '../../../calls/phone/voice-deps.ts';
import { createCallPlayer } from '../../../calls/play-calls.ts';
import { CARRIERS } from '../../../carriers/carriers.ts';
import { createEgressFetch } from '../../../platform/egress/fetch.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import { speechRoute } from '../../../voice/speech.routes.ts';
import { createSpeechProviders, type SpeechProviders } from '../../../voice/speech-providers.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Access } from './access.ts';
import type { Conversing } from './conversations.ts';
import type { Models } from './models.ts';
import type { Module } from './module.ts';
import type { Telephony } from './telephony.ts';

export type Calls = Module & {
  lines: Lines;
  /**
   * Speech providers that agents declare. They are used where the carrier provides no speech recognition or synthesis.
   */
  speech: SpeechProviders;
  hasOwnSpeech: VoiceDeps['hasOwnSpeech'];
  /** Called with the timings of each turn. Updates the metric that shows how long callers wait for a reply. */
  onTimes: (times: TurnTimes) => void;
  stop: () => Promise<void>;
};

/**
 * Creates the module for calls: the REST routes, the calls that this process handles, and the sockets that carriers
 * open.
 */
export function createCalls(
  infrastructure: Infrastructure,
  ports: {
    access: Pick<Access, 'rateLimits'>;
    conversing: Conversing;
    models: Pick<Models, 'findEndpoint'>;
    telephony: Telephony;
  },
): Calls {
  const { pool, guard, metrics, log, clockMs, publicUrl } = infrastructure;
  const { access, conversing, models, telephony } = ports;
  const { findEndpoint } = models;
  const { accounts, transportOf, wakeLine } = telephony;
  const own = createLines(conversing);
  const lines: Lines = {
    ...own,
    offer: (callId) => {
      player.wake(); // The player checks once a second while calls are active.
      return own.offer(callId);
    },
  };
  const egress = createEgressFetch({ guard });
  const speech = createSpeechProviders({ findEndpoint, fetch: egress.fetch, nowMs: clockMs });
  const onTimes = createTimesMeter(metrics);
  const calling = {
    ...conversing,
    accounts,
    transportOf,
    wakeLine,
    lines,
    hasOwnSpeech: (namespace, content) => hasOwnSpeech(findEndpoint, namespace, content),
    rateLimits: access.rateLimits,
    publicUrl,
    wakeCalls: () => player.wake(),
  } satisfies VoiceDeps & { wakeCalls: () => void };
  const player = createCallPlayer({ ...calling, metrics });
  const media = { lines, log, onTimes, providers: speech };
  return {
    routes: [
      ...callRoutes(calling),
      ...actRoutes(calling),
      ...carrierRoutes(calling),
      speechRoute({ pool, speech, findEndpoint }),
    ],
    sockets: CARRIERS.flatMap((carrier) => [
      ...(carrier.relay ? [relaySocket(media, { relay: carrier.relay, type: carrier.type })] : []),
      mediaSocket(media, carrier),
    ]),
    jobs: [player, lines.renewal],
    listeners: { [CHANNELS.calls]: lines.look },
    lines,
    speech,
    hasOwnSpeech: calling.hasOwnSpeech,
    onTimes,
    stop: egress.stop,
  };
}
