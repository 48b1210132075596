import type { Transport } from './transport.ts';

/** The `provider` of a call that a web page begins (contract/talks.md#voice); no TelephonyProvider has the name. */
export const WEB_VOICE = 'web_voice';

/**
 * The page's own socket is all that there is: nobody can be called or asked by another way. The talk closes it
 * when its conversation ends.
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
