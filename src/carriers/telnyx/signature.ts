import { createPublicKey, verify } from 'node:crypto';

/**
 * Maximum difference in seconds between the timestamp and the clock, in both directions. It is the same as in Telnyx'
 * own libraries.
 */
const TOLERANCE_SEC = 5 * 60;
const SIGNATURE_BYTES = 64;

export type SignedBody = {
  /** Body of the request, byte for byte. */
  body: Buffer;
  /** Value of the header `telnyx-signature-ed25519`, in base64. */
  signature: string;
  /** Value of the header `telnyx-timestamp`, in Unix seconds. */
  timestamp: string;
  nowMs: number;
};

/**
 * Verifies Telnyx' webhook signature: Ed25519 of `timestamp|body`. The signature covers neither the path nor the query.
 * A timestamp that differs from the clock by more than five minutes is rejected. A request that is repeated within the
 * five minutes is accepted.
 */
export function isSigned(
  publicKey: string,
  { body, signature, timestamp, nowMs }: SignedBody,
): boolean {
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_SEC) return false;
  const given = Buffer.from(signature, 'base64');
  if (given.length !== SIGNATURE_BYTES) return false;
  return verify(null, signedText(timestamp, body), keyOf(publicKey), given);
}

/** Returns the bytes that Telnyx signs. */
export function signedText(timestamp: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${timestamp}|`), body]);
}

/** Returns a public key as a key object. `publicKey` is the base64 of 32 bytes, as in a TelephonyProvider. */
function keyOf(publicKey: string) {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
