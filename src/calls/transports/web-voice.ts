import type { Transport } from './transport.ts';

/** The `provider` of a call from a web page (contract/talks.md#voice). No TelephonyProvider may have this name. */
export const WEB_VOICE = 'web_voice';

/**
 * The transport of calls from web pages. The page's own socket is the only connection: nothing can be dialed or
 * queried. The talk closes the socket when its conversation ends.
 */
export const webVoice: Transport = {
  keepable: async (options) => options,
  place: async () => {
    throw new Error('a talk on a web page is begun by the page');
  },
  eventAt: () => undefined,
  say: async () => undefined,
  hangUp: async () => undefined,
  ask: async () => undefined,
};
