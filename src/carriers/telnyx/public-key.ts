/**
 * Prime of the field over which Ed25519 is defined (RFC 8032). TelephonyProviders of Telnyx have Ed25519 public keys.
 */

const P = 2n ** 255n - 19n;
/** Constant `d` of the curve equation: -121665/121666. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Returns true if 32 bytes in base64 encode a point of the curve, as every public key does. About half of all mistyped
 * keys do not. Without this check, such a mistake would only be noticed later, when every call is refused.
 */
export function isPublicKey(base64: string): boolean {
  const bytes = Buffer.from(Buffer.from(base64, 'base64').toReversed());
  if (bytes.length !== 32) return false;
  // The highest bit is the sign of x and not a part of y.
  const y = BigInt(`0x${bytes.toString('hex')}`) & (2n ** 255n - 1n);
  if (y >= P) return false;
  const above = y * y - 1n;
  const below = D * y * y + 1n;
  return above % P === 0n || power(above * below, (P - 1n) / 2n) === 1n;
}

/** Message for an invalid public key. */
export const NO_PUBLIC_KEY =
  "the key is not an Ed25519 key: copy all 44 characters of the account's public key, as the carrier shows it";

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = ((base % P) + P) % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
