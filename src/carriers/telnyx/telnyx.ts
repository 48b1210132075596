import { z } from 'zod';
import { accountIdField } from '../account-id.ts';
import type { Carrier, ProviderPart } from '../carrier.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { readTwimlCallback } from '../twiml/callback.ts';
import { twimlRelay } from '../twiml/relay-frames.ts';
import { twimlAnswers } from '../twiml/twiml.ts';
import { isPublicKey, NO_PUBLIC_KEY, isSigned } from './signature.ts';
import { createTelnyxApi } from './telnyx-api.ts';
import { TELNYX_MEDIA } from './telnyx-frames.ts';

/**
 * Schema of a public key: 32 bytes in base64, which is 43 characters and one `=`. The last character has two unused
 * bits, which are zero.
 */
const ed25519Key = z
  .string()
  .max(44)
  .regex(
    ...saying(
      /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/,
      "must be the account's public key as the carrier shows it: 44 characters, which are 32 bytes in base64",
    ),
  );

const provider: ProviderPart = {
  apiUrl: 'https://api.telnyx.com',
  says: { accountId: 'the user ID', authToken: 'an API key' },
  fields: {
    publicKey: ed25519Key
      .clone()
      .describe("For type telnyx: the account's public key, which verifies the carrier's requests.")
      .exactOptional(),
    applicationId: accountIdField
      .clone()
      .describe('For type telnyx: the ID of the TeXML application that places calls.')
      .exactOptional(),
  },
  rules: [
    {
      rule: "(self.type == 'telnyx') == has(self.publicKey)",
      message: '`publicKey` is required for type "telnyx" and not allowed for other types',
      fieldPath: '.publicKey',
    },
    {
      rule: "self.type != 'telnyx' || !has(self.outbound) || has(self.applicationId)",
      message: 'type "telnyx" requires `applicationId` if `outbound` is set',
      fieldPath: '.applicationId',
    },
    {
      rule: "self.type == 'telnyx' || !has(self.applicationId)",
      message: '`applicationId` is allowed only for type "telnyx"',
      fieldPath: '.applicationId',
    },
    {
      rule: "self.type != 'telnyx' || !has(self.outbound) || !has(self.outbound.ringSec) || self.outbound.ringSec <= 120",
      message: '`ringSec` must be at most 120 for type "telnyx"',
      fieldPath: '.outbound.ringSec',
    },
  ],
  faultIn: ({ publicKey }) =>
    publicKey === undefined || isPublicKey(publicKey)
      ? undefined
      : {
          field: 'publicKey',
          code: 'invalid_key',
          reason: 'InvalidKey',
          message: NO_PUBLIC_KEY,
        },
};

/**
 * Telnyx with its product TeXML. It uses the same forms, XML and ConversationRelay frames as Twilio, but its own
 * signatures, API and audio frames (developers.telnyx.com: TeXML, ConversationRelay, media streaming).
 */
export const TELNYX: Carrier<'telnyx'> = {
  type: 'telnyx',
  name: 'Telnyx',
  provider,
  signature: {
    header: 'telnyx-signature-ed25519',
    refusal:
      'No TelephonyProvider of type "telnyx" with this account and number has the public key that ' +
      'verifies telnyx-signature-ed25519, or telnyx-timestamp is more than five minutes off.',
    // The public key of an account is not secret, so a namespace can declare it without owning the account.
    provesOwner: false,
    isSigned: ({ own: { publicKey } }, { body, headers, nowMs }) =>
      publicKey !== undefined &&
      isSigned(publicKey, {
        body,
        signature: String(headers['telnyx-signature-ed25519'] ?? ''),
        timestamp: String(headers['telnyx-timestamp'] ?? ''),
        nowMs,
      }),
  },
  createApi: createTelnyxApi,
  readCallback: readTwimlCallback,
  answers: twimlAnswers({
    // Without these attributes, audio flows in only one direction and in the format of the call.
    stream: {
      track: 'inbound_track',
      codec: 'PCMU',
      bidirectionalMode: 'rtp',
      bidirectionalCodec: 'PCMU',
    },
    followsStatus: true,
  }),
  media: TELNYX_MEDIA,
  relay: twimlRelay({
    // A name such as `Telnyx.NaturalHD.astra` identifies both a voice and its provider, so the provider is not sent
    // separately.
    voice: ({ voiceId }) => ({ voice: voiceId }),
    reportsEnd: false,
  }),
};
