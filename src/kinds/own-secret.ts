import { fromUuid } from '../ids.ts';
import type { RowKey } from '../platform/declare/declared-kind.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import type { Problem } from '../platform/reconcile/conditions.ts';
import { secretNotWritten } from '../platform/reconcile/references.ts';
import {
  ALLOW_LABEL,
  API_MANAGER,
  OPERATOR_MANAGER,
  OWNER_LABEL,
} from '../platform/resources/annotations.ts';
import type { KindNames } from '../platform/resources/kind-names.ts';
import type { Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import { ownSecretName } from './given-secret.ts';
import { deleteGiven, findGiven, givenPlace } from './given-secrets.sql.ts';

/** Secret in which Parley keeps what REST was given for one object (contract/custom-resources.md#secrets). */

export type OwnSecretDeps = {
  store: Pick<ResourceStore, 'get' | 'apply' | 'delete'>;
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
};
type Names = Pick<KindNames, 'idPrefix'>;

const CURE = 'delete it there, or send the key again';

/**
 * Copies a secret that REST was given into the object's own Secret, which then is its only copy besides the row of the
 * declaration in effect. Does nothing if it was copied before. Returns why the Secret cannot be written.
 */
export async function copyGiven(
  { store, pool, sealer }: OwnSecretDeps,
  names: Names,
  { object, id, key }: { object: Resource; id: string; key: string },
): Promise<Problem | undefined> {
  if ((await findGiven(pool, { id, key })) === undefined) return undefined;
  const { namespace, name, uid } = object.metadata;
  const secret = { namespace, name: ownSecretName(names, id) };
  // The Secret is read before the row. If another leader copies a newer secret meanwhile, this write has a conflict.
  const there = await store.get('Secret', secret);
  const sealed = await findGiven(pool, { id, key });
  if (sealed === undefined) return undefined;
  const text = sealer.open(sealed, givenPlace({ namespace, id, key }));
  try {
    await store.apply(
      {
        kind: 'Secret',
        ...secret,
        labels: { [ALLOW_LABEL]: 'true', [OWNER_LABEL]: fromUuid(names.idPrefix, id) },
        spec: { data: { [key]: text } },
        owner: { kind: object.kind, name, uid },
      },
      { fieldManager: API_MANAGER, resourceVersion: there?.metadata.resourceVersion ?? '' },
    );
  } catch (error) {
    const problem = secretNotWritten(error, secret.name, CURE);
    if (problem === undefined) throw error;
    return problem;
  }
  await deleteGiven(pool, { id, key });
  return undefined;
}

/** Deletes the object's own Secret, unless somebody else writes to it, and what REST was given since. */
export async function removeOwnSecret(
  { store, pool }: Pick<OwnSecretDeps, 'store' | 'pool'>,
  names: Names,
  { namespace, id }: RowKey,
): Promise<void> {
  await deleteGiven(pool, { id });
  const key = { namespace, name: ownSecretName(names, id) };
  const secret = await store.get('Secret', key);
  if (secret?.metadata.labels[OWNER_LABEL] !== fromUuid(names.idPrefix, id)) return;
  const owners = Object.values(secret.owners).flat();
  if (owners.some((owner) => owner !== API_MANAGER && owner !== OPERATOR_MANAGER)) return;
  await store.delete('Secret', key, { resourceVersion: secret.metadata.resourceVersion });
}
