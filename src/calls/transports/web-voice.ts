import type { Transport } from '../transport.ts';

/**
 * Value of `provider` for a call from a web page (contract/talks.md#voice). No TelephonyProvider may have this name.
 */
export const WEB_VOICE = 'web_voice';

/**
 * Transport of calls from web pages. The page's own socket is the only connection, so there is no carrier to dial or
 * query. The socket is closed when the conversation ends.
 */
export const webVoice: Transport = {
  keepable: async (options) => options,
  place: async () => {
    throw new Error('only a web page can start a talk');
  },
  eventAt: () => undefined,
  say: async () => undefined,
  hangUp: async () => undefined,
  ask: async () => undefined,
};
