import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Signing secrets, and the signatures computed with them (contract/deliveries.md#headers). Every delivery has two
 * signatures. The one in `parley-signature` covers only the body. The one in the Standard Webhooks headers also covers
 * the message's id and timestamp.
 */

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Minimum and maximum length of a key in bytes, as required by Standard Webhooks. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** Creates a secret from 32 random bytes. */
export function newEndpointSecret(bytes: Buffer = randomBytes(SECRET_BYTES)): string {
  return SECRET_PREFIX + bytes.toString('base64');
}

/** Returns true if the text is `whsec_` followed by canonical base64 of 24 to 64 bytes. */
export function isEndpointSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false;
  const encoded = text.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  return (
    bytes.toString('base64') === encoded &&
    bytes.length >= SECRET_BYTES_MIN &&
    bytes.length <= SECRET_BYTES_MAX
  );
}

/**
 * Returns `parley-signature`: the lower-case hex HMAC-SHA256 of the body. The key is the whole secret as text,
 * including `whsec_`.
 */
export function signBody(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * Returns `webhook-signature` (Standard Webhooks 1.0): `v1,` followed by base64. The key is the bytes decoded from the
 * base64 after `whsec_`.
 */
export function signStandard(
  secret: string,
  message: { id: string; timestampSec: number; body: Buffer },
): string {
  // Node computes an HMAC six times faster from a key object than from bytes.
  const key = createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64');
  const digest = createHmac('sha256', key)
    .update(`${message.id}.${message.timestampSec}.`)
    .update(message.body)
    .digest('base64');
  return `v1,${digest}`;
}

/** Returns true if `header` is the `parley-signature` of `body`. Compares in constant time. */
export function verifyBody(secret: string, body: Buffer, header: string): boolean {
  return equalInConstantTime(signBody(secret, body), header);
}

/** Returns true if one of the space-separated signatures of `webhook-signature` is valid. */
export function verifyStandard(
  secret: string,
  message: { id: string; timestampSec: number; body: Buffer },
  header: string,
): boolean {
  const expected = signStandard(secret, message);
  return header.split(' ').some((candidate) => equalInConstantTime(expected, candidate));
}

function equalInConstantTime(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
