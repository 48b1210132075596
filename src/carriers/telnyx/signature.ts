import { createPublicKey, verify } from 'node:crypto';

/**
 * Maximum difference in seconds between the timestamp and the clock, in either direction. Telnyx's own libraries use
 * the same value.
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
 * Verifies Telnyx's webhook signature: Ed25519 of `timestamp|body`. The signature covers neither the path nor the
 * query. Rejects a timestamp that differs from the clock by more than five minutes. Accepts a request that is repeated
 * within the five minutes.
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

/** Prime of the field over which Ed25519 is defined (RFC 8032). Telnyx uses Ed25519 public keys. */
const P = 2n ** 255n - 19n;
/** Constant `d` of the curve equation: -121665/121666. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Returns true if the base64 text encodes 32 bytes that are a point on the curve, as every public key is. About half of
 * all mistyped keys are not on the curve. Without this check, such a mistake would only be noticed later, when every
 * call is rejected.
 */
export function isPublicKey(base64: string): boolean {
  const bytes = Buffer.from(Buffer.from(base64, 'base64').toReversed());
  if (bytes.length !== 32) return false;
  // The highest bit is the sign of x and not part of y.
  const y = BigInt(`0x${bytes.toString('hex')}`) & (2n ** 255n - 1n);
  if (y >= P) return false;
  const above = y * y - 1n;
  const below = D * y * y + 1n;
  return above % P === 0n || power(above * below, (P - 1n) / 2n) === 1n;
}

export const NO_PUBLIC_KEY =
  "the key is not an Ed25519 key: copy all 44 characters of the account's public key as the carrier shows it";

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = ((base % P) + P) % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
