import type { Pool } from '../store/pool.ts';
import type { Sealer } from '../store/sealing.ts';
import { endpointSecretPlace, readSealedSecret } from '../store/webhook-endpoints.ts';

/**
 * The signing secret an endpoint has in force; undefined when it never
 * had one or was removed. Where its Secret was lost (a new cluster with the old database),
 * receivers go on with it.
 */
export async function readEndpointSecret(
  { pool, sealer }: { pool: Pool; sealer: Sealer },
  { id, namespace }: { id: string; namespace: string },
): Promise<string | undefined> {
  const sealed = await readSealedSecret(pool, id);
  return sealed === null ? undefined : sealer.open(sealed, endpointSecretPlace(namespace, id));
}
