import type { Transport, TransportOf } from './transport.ts';
import { simulated } from './simulated.ts';
import { WEB_VOICE, webVoice } from './web-voice.ts';

/** Chooses the transport of a call: `carried` for TelephonyProviders, otherwise a web page or a script. */
export function createTransports({ carried }: { carried: Transport }): TransportOf {
  return ({ provider, telephonyProviderId }) => {
    if (telephonyProviderId !== null) return carried;
    return provider === WEB_VOICE ? webVoice : simulated;
  };
}
