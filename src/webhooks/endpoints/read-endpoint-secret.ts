import type { SigningSecrets } from './signing-secrets.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import {
  endpointSecretPlace,
  readSealedSecrets,
  type SealedSecrets,
} from './webhook-endpoints.sql.ts';

/**
 * What an endpoint signs with; undefined when it never had a secret or was removed. Where its Secret
 * was lost (a new cluster with the old database), receivers go on with it.
 */
export async function readEndpointSecrets(
  { pool, sealer }: { pool: Pool; sealer: Sealer },
  endpoint: { id: string; namespace: string },
): Promise<SigningSecrets | undefined> {
  const sealed = await readSealedSecrets(pool, endpoint.id);
  return sealed === null ? undefined : openSecrets(sealer, endpoint, sealed);
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
