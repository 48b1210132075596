import { isEndpointSecret } from './signature.ts';
import { SIGNING_SECRET_KEY } from './webhook-endpoint.ts';

/**
 * What the Secret of an endpoint holds. While its secret is being given a successor there are two,
 * with absolute times: a database that is built anew signs with the right one at once.
 */
export type SigningSecrets = {
  secret: string;
  next?: SecretRotation;
};

/** Times are Unix ms. From `atMs` on `secret` here signs; the old one is live until `oldUntilMs`. */
export type SecretRotation = { secret: string; atMs: number; oldUntilMs: number };

const NEXT = 'next-secret';
const NEXT_AT = 'next-secret-at';
const OLD_UNTIL = 'old-secret-until';

export function toSecretData({ secret, next }: SigningSecrets): Record<string, string> {
  return {
    [SIGNING_SECRET_KEY]: secret,
    ...(next && {
      [NEXT]: next.secret,
      [NEXT_AT]: new Date(next.atMs).toISOString(),
      [OLD_UNTIL]: new Date(next.oldUntilMs).toISOString(),
    }),
  };
}

/** The rotation that a Secret tells of; `problem`: somebody wrote what is none. */
export function readRotation(
  data: Record<string, unknown>,
): { next?: SecretRotation } | { problem: string } {
  const secret = data[NEXT];
  if (secret === undefined) return {};
  const atMs = Date.parse(String(data[NEXT_AT]));
  const oldUntilMs = Date.parse(String(data[OLD_UNTIL]));
  if (typeof secret !== 'string' || !isEndpointSecret(secret)) {
    return { problem: `key ${NEXT} must be whsec_ and the base64 of 24 to 64 bytes` };
  }
  if (Number.isNaN(atMs) || !(oldUntilMs >= atMs)) {
    return { problem: `keys ${NEXT_AT} and ${OLD_UNTIL} must be RFC 3339 times in this order` };
  }
  return { next: { secret, atMs, oldUntilMs } };
}

/** As it stands at a moment: a rotation that is over has left one secret. */
export function settleRotation(secrets: SigningSecrets, nowMs: number): SigningSecrets {
  const { next } = secrets;
  return next && next.oldUntilMs <= nowMs ? { secret: next.secret } : secrets;
}
