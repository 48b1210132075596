import type { Transport, TransportOf } from '../transport.ts';
import { simulated } from './simulated.ts';
import { WEB_VOICE, webVoice } from './web-voice.ts';

/**
 * Creates the function that chooses the transport of a call: `carried` for calls of a TelephonyProvider, `webVoice` for
 * calls from web pages, and `simulated` for simulated calls.
 */
export function createTransports({ carried }: { carried: Transport }): TransportOf {
  return ({ provider, telephonyProviderId }) => {
    if (telephonyProviderId !== null) return carried;
    return provider === WEB_VOICE ? webVoice : simulated;
  };
}
