import type { Sealer } from '../../platform/postgres/sealing.ts';
import { ALLOW_LABEL, ENDPOINT_LABEL } from '../../platform/resources/annotations.ts';
import type { Applied, ObjectKey } from '../../platform/resources/resource-store.ts';
import type { Headers } from './endpoint-headers.ts';
import { parseHeaders } from './header-rules.ts';
import { endpointSecretPlace, type SealedSecrets } from './endpoint-secrets.sql.ts';
import { isEndpointSecret } from '../../platform/egress/signature.ts';
import { SIGNING_SECRET_KEY } from './webhook-endpoint.ts';
import { signingSecretName } from '../../platform/reconcile/references.ts';

/**
 * Contents of an endpoint's Secret. During a rotation they include both secrets, and the absolute times of the swap and
 * of the end. Parley can therefore sign with the right secret immediately, even if the database is lost.
 */
export type SigningSecrets = {
  secret: string;
  next?: SecretRotation;
};

/**
 * Next secret of a rotation. `secret` becomes the signing secret at `atMs`; the old secret is valid until
 * `oldUntilMs`. Both times are Unix ms.
 */
export type SecretRotation = { secret: string; atMs: number; oldUntilMs: number };

const NEXT = 'next-secret';
const NEXT_AT = 'next-secret-at';
const OLD_UNTIL = 'old-secret-until';
const HEADERS = 'headers';

/**
 * Keys of a Secret for a rotation: the next secret, the time at which it replaces the old one, and the time at which
 * the old one expires.
 */
export const ROTATION_KEYS = [NEXT, NEXT_AT, OLD_UNTIL] as const;

/** Returns the endpoint's Secret as an object for the store. `headers` are those set through REST. */
export function secretObject(
  { namespace, name }: ObjectKey,
  { secret, next }: SigningSecrets,
  headers: Headers = {},
): Applied {
  const rotation = next && {
    [NEXT]: next.secret,
    [NEXT_AT]: new Date(next.atMs).toISOString(),
    [OLD_UNTIL]: new Date(next.oldUntilMs).toISOString(),
  };
  return {
    kind: 'Secret',
    namespace,
    name: signingSecretName(name),
    labels: signingSecretLabels(name),
    spec: {
      data: {
        [SIGNING_SECRET_KEY]: secret,
        ...rotation,
        ...(Object.keys(headers).length > 0 && { [HEADERS]: JSON.stringify(headers) }),
      },
    },
  };
}

export function signingSecretLabels(endpointName: string): Record<string, string> {
  return { [ALLOW_LABEL]: 'true', [ENDPOINT_LABEL]: endpointName };
}

/** Reads the rotation from a Secret's data. Returns `problem` if the rotation in it is invalid. */
export function readRotation(
  data: Record<string, unknown>,
): { next?: SecretRotation } | { problem: string } {
  const secret = data[NEXT];
  if (secret === undefined) return {};
  const atMs = Date.parse(String(data[NEXT_AT]));
  const oldUntilMs = Date.parse(String(data[OLD_UNTIL]));
  if (typeof secret !== 'string' || !isEndpointSecret(secret)) {
    return { problem: `key ${NEXT} must be whsec_ followed by the base64 of 24 to 64 bytes` };
  }
  if (!(oldUntilMs >= atMs)) {
    // The comparison is also false for an invalid time (NaN).
    return { problem: `keys ${NEXT_AT} and ${OLD_UNTIL} must be RFC 3339 times in this order` };
  }
  return { next: { secret, atMs, oldUntilMs } };
}

/** Returns the secrets that are valid at a given time. After the end of a rotation, only the new secret is valid. */
export function secretsAt(secrets: SigningSecrets, nowMs: number): SigningSecrets {
  const { next } = secrets;
  return next && next.oldUntilMs <= nowMs ? { secret: next.secret } : secrets;
}

/** Reads the headers that were set through REST from a Secret's data. Returns undefined if they are invalid. */
export function readHeaders(data: Record<string, unknown>): Headers | undefined {
  return data[HEADERS] === undefined ? {} : parseHeaders(data[HEADERS]);
}

export function openSecrets(
  sealer: Sealer,
  { id, namespace }: { id: string; namespace: string },
  { secret, next }: SealedSecrets,
): SigningSecrets {
  const place = endpointSecretPlace(namespace, id);
  return {
    secret: sealer.open(secret, place),
    ...(next && { next: { ...next, secret: sealer.open(next.secret, place) } }),
  };
}

export function sealSecrets(
  sealer: Sealer,
  { id, namespace }: { id: string; namespace: string },
  { secret, next }: SigningSecrets,
): SealedSecrets {
  const place = endpointSecretPlace(namespace, id);
  const seal = (plain: string): Buffer => sealer.seal(plain, place);
  return { secret: seal(secret), next: next ? { ...next, secret: seal(next.secret) } : null };
}
