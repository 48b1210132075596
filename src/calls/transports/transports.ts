import type { Transport, TransportOf } from './transport.ts';
import { simulated } from './simulated.ts';
import { WEB_VOICE, webVoice } from './web-voice.ts';

/** `carried`: what goes over the TelephonyProviders; what no page brings follows a script. */
export function createTransports({ carried }: { carried: Transport }): TransportOf {
  return ({ provider, telephonyProviderId }) => {
    if (telephonyProviderId !== null) return carried;
    return provider === WEB_VOICE ? webVoice : simulated;
  };
}
