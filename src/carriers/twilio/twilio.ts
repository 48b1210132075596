import type { Carrier } from '../carrier.ts';
import { readTwimlCallback } from '../twiml/callback.ts';
import { TWILIO_MEDIA } from '../twiml/media-frames.ts';
import { twimlRelay } from '../twiml/relay-frames.ts';
import { twimlAnswers } from '../twiml/twiml.ts';
import { isSigned, portSpellings } from './signature.ts';
import { createTwilioApi } from './twilio-api.ts';

/** Twilio, and other carriers that use the same signatures and instructions. */
export const TWILIO: Carrier<'twilio'> = {
  type: 'twilio',
  name: 'Twilio',
  provider: {
    apiUrl: 'https://api.twilio.com',
    says: {
      accountId: 'AC…',
      authToken: "the auth token, which also signs the carrier's requests",
    },
    fields: {},
    rules: [],
  },
  signature: {
    header: 'X-Twilio-Signature',
    refusal:
      'No TelephonyProvider with this account and number has the auth token that signed X-Twilio-Signature. ' +
      'PARLEY_BASE_URL must be the URL that the carrier calls.',
    provesOwner: true,
    /**
     * Tries each base URL with each spelling of its port, because a proxy may use a different port from the configured
     * one.
     */
    isSigned: ({ authToken }, { form: params, headers, target, bases }) => {
      const signature = String(headers['x-twilio-signature'] ?? '');
      return bases
        .flatMap(portSpellings)
        .some((base) => isSigned(authToken, { url: `${base}${target}`, params, signature }));
    },
  },
  createApi: createTwilioApi,
  readCallback: readTwimlCallback,
  answers: twimlAnswers({}),
  media: TWILIO_MEDIA,
  relay: twimlRelay({
    voice: ({ provider, voiceId }) => ({ voice: voiceId, ttsProvider: provider }),
    reportsEnd: true,
  }),
};
