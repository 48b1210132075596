import { pathsOf, type Dialect } from '../dialect.ts';
import { isSigned } from './signature.ts';
import { TELNYX_MEDIA } from './telnyx-frames.ts';

/**
 * Telnyx' TeXML: Twilio's forms, XML and frames of ConversationRelay, with signatures, an API and frames of
 * sound of its own (developers.telnyx.com: TeXML, ConversationRelay, media streaming).
 */
export const TELNYX: Dialect = {
  type: 'telnyx',
  paths: pathsOf('telnyx'),
  isSigned: ({ publicKey }, { body, headers }, { nowMs }) =>
    publicKey !== undefined &&
    isSigned(publicKey, {
      body,
      signature: String(headers['telnyx-signature-ed25519'] ?? ''),
      timestamp: String(headers['telnyx-timestamp'] ?? ''),
      nowMs,
    }),
  unsigned:
    'no TelephonyProvider of type telnyx with this account and number has the public key that ' +
    'telnyx-signature-ed25519 is right with, or telnyx-timestamp is more than five minutes off',
  // Its public key is no secret.
  provesOwner: false,
  // It names a voice by one word, such as Telnyx.NaturalHD.astra, and has no attribute for who speaks it.
  voice: ({ voiceId }) => ({ voice: voiceId }),
  // Without them sound goes one way, and in whatever form the call has it.
  stream: {
    track: 'inbound_track',
    codec: 'PCMU',
    bidirectionalMode: 'rtp',
    bidirectionalCodec: 'PCMU',
  },
  tellsRelayEnd: false,
  followsStatus: true,
  media: TELNYX_MEDIA,
};
