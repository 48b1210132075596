import { pathsOf, type Dialect } from '../dialect.ts';
import { clearFrame, markFrame, readMediaFrame, soundFrame } from '../twiml/media-frames.ts';
import { isSigned, portSpellings } from './signature.ts';

/** Twilio itself, and others that sign and answer as it does. */
export const TWILIO: Dialect = {
  type: 'twilio',
  paths: pathsOf('twilio'),
  /** Over any of the addresses, however its port is written: a proxy may have another than we are configured with. */
  isSigned: ({ authToken }, { form: params, headers, target }, { bases }) => {
    const signature = String(headers['x-twilio-signature'] ?? '');
    return bases
      .flatMap(portSpellings)
      .some((base) => isSigned(authToken, { url: `${base}${target}`, params, signature }));
  },
  unsigned:
    'no TelephonyProvider with this account and number has a token that X-Twilio-Signature was made with; ' +
    'PARLEY_BASE_URL must be the address that the carrier calls',
  provesOwner: true,
  voice: ({ provider, voiceId }) => ({ voice: voiceId, ttsProvider: provider }),
  stream: {},
  tellsRelayEnd: true,
  followsStatus: false,
  media: { read: readMediaFrame, sound: soundFrame, mark: markFrame, clear: clearFrame },
};
