import { createPublicKey, verify } from 'node:crypto';

/** Either way; as Telnyx' own libraries allow. */
const TOLERANCE_SEC = 5 * 60;
const SIGNATURE_BYTES = 64;

export type SignedBody = {
  /** As it came, byte for byte. */
  body: Buffer;
  /** `telnyx-signature-ed25519`, in base64. */
  signature: string;
  /** `telnyx-timestamp`, in Unix seconds. */
  timestamp: string;
  nowMs: number;
};

/**
 * Telnyx' webhook signature: Ed25519 of `timestamp|body`. It covers neither the path nor the query. One that is
 * older than five minutes, or as much ahead, is wrong; within them a body that comes again is signed as before.
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

/** What is signed. */
export function signedText(timestamp: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${timestamp}|`), body]);
}

/** `publicKey`: the base64 of 32 bytes, as a TelephonyProvider has it. */
function keyOf(publicKey: string) {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
