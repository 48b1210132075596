import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { signedText } from '../../../src/carriers/telnyx/signature.ts';
import { TELNYX_WIRE } from './telnyx-wire.ts';
import type { Manner } from '../../calls/phone/stand-in-carrier.ts';

/** Telnyx for the stand-in carrier: the differences from Twilio. */

export const ACCOUNT = '1f1a8b6f-1234-4abc-9def-1234567890ab';
export const APPLICATION = '2811212257810187875';
export const API_KEY = 'KEY0190-of-the-account';

/** A key pair. The carrier has one for each account. */
export type AccountKeys = { publicKey: string; privateKey: KeyObject };

export function newKeys(): AccountKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { publicKey: Buffer.from(x, 'base64url').toString('base64'), privateKey };
}

/** Returns the headers of a body that is sent `aheadSec` from now. */
export function signedHeaders(
  { privateKey }: AccountKeys,
  body: string,
  aheadSec = 0,
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000) + aheadSec);
  const made = sign(null, signedText(timestamp, Buffer.from(body)), privateKey);
  return { 'telnyx-signature-ed25519': made.toString('base64'), 'telnyx-timestamp': timestamp };
}

export const telnyxManner = (keys: AccountKeys): Manner => ({
  type: 'telnyx',
  account: ACCOUNT,
  newSid: () => `v3:${randomBytes(36).toString('base64url')}`,
  sign: ({ params }, { signature, aheadSec }) => {
    const made = signedHeaders(keys, params.toString(), aheadSec);
    if (signature === null) return {};
    return signature === undefined ? made : { ...made, 'telnyx-signature-ed25519': signature };
  },
  isAuthorized: ({ authorization }) => authorization === `Bearer ${API_KEY}`,
  sidIn: (path) => {
    const [, sid] = new RegExp(`^/v2/texml/Accounts/${ACCOUNT}/Calls/([^/]+)$`).exec(path) ?? [];
    return sid === undefined ? undefined : decodeURIComponent(sid);
  },
  placing: (body) => JSON.parse(body),
  // Telnyx does not report the id of the call here.
  placed: ({ From, To }) => ({ from: From, to: To, status: 'queued' }),
  // Telnyx does not report the direction of a call.
  wire: TELNYX_WIRE,
  ringing: { ConnectionId: APPLICATION, CallerId: 'Zoë & Söhne' },
});

/** A TelephonyProvider of type telnyx for the phone fixture. */
export const telnyxProvider = ({ publicKey }: AccountKeys) => ({
  type: 'telnyx',
  account_id: ACCOUNT,
  public_key: publicKey,
  application_id: APPLICATION,
});
