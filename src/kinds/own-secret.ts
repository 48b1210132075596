import { fromUuid } from '../ids.ts';
import type { RowKey } from '../platform/declare/declared-kind.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import type { Problem } from '../platform/reconcile/conditions.ts';
import { managedBy } from '../platform/reconcile/actors.ts';
import { resolveKey, secretNotWritten, type Resolved } from '../platform/reconcile/references.ts';
import {
  ALLOW_LABEL,
  API_MANAGER,
  OPERATOR_MANAGER,
  OWNER_LABEL,
} from '../platform/resources/annotations.ts';
import type { KindNames } from '../platform/resources/kind-names.ts';
import { projectionsIn } from '../platform/resources/projections.sql.ts';
import type { ObjectKey, Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import { ownSecretName } from './given-secret.ts';
import { deleteGiven, givenPlace, listGiven } from './given-secrets.sql.ts';
import type { KindOf } from './kind.ts';

/**
 * This module manages the "own" Secret of an object, in which Parley keeps the secrets that REST requests contained
 * (contract/custom-resources.md#secrets).
 */

export type OwnSecretDeps = {
  store: Pick<ResourceStore, 'get' | 'apply' | 'delete'>;
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
};
type Names = Pick<KindNames, 'idPrefix'>;

const CURE = 'remove that other writer, or send the key again';

/** Object whose declaration names its own Secret. */
export type SecretUser = {
  object: Resource;
  id: string;
  /** Keys in the object's own Secret that the declaration names. */
  keys: readonly string[];
};

/**
 * Copies the given secrets with these `keys` into the object's own Secret, and deletes their rows. After that, the only
 * other copy is in the row of the declaration in effect. Does nothing if all of the given secrets have already been
 * copied. Values that the Secret already contains stay if their key is in `keys` or `kept`; all others are removed.
 * Returns the problem if the Secret cannot be written.
 */
export async function copyGiven(
  { store, pool, sealer }: OwnSecretDeps,
  names: Names,
  { object, id, keys, kept = [] }: SecretUser & { kept?: readonly string[] },
): Promise<Problem | undefined> {
  const isGiven = (rows: ReadonlyMap<string, Buffer>) => keys.some((key) => rows.has(key));
  if (!isGiven(await listGiven(pool, id))) return undefined;
  const { namespace, name, uid } = object.metadata;
  const secret = { namespace, name: ownSecretName(names, id) };
  // The Secret is read before the rows. If another leader copies a newer secret in the meantime, the write below fails
  // with a conflict.
  const there = await store.get('Secret', secret);
  const rows = await listGiven(pool, id);
  if (!isGiven(rows)) return undefined;
  const stored = (there?.spec['data'] ?? {}) as Readonly<Record<string, string>>;
  const data = Object.entries(stored).filter(([key]) => keys.includes(key) || kept.includes(key));
  const given = keys.flatMap((key): [string, string][] => {
    const sealed = rows.get(key);
    return sealed ? [[key, sealer.open(sealed, givenPlace({ namespace, id, key }))]] : [];
  });
  try {
    await store.apply(
      {
        kind: 'Secret',
        ...secret,
        labels: { [ALLOW_LABEL]: 'true', [OWNER_LABEL]: fromUuid(names.idPrefix, id) },
        spec: { data: Object.fromEntries([...data, ...given]) },
        owner: { kind: object.kind, name, uid },
      },
      { fieldManager: API_MANAGER, resourceVersion: there?.metadata.resourceVersion ?? '' },
    );
  } catch (error) {
    const problem = secretNotWritten(error, secret.name, CURE);
    if (problem === undefined) throw error;
    return problem;
  }
  for (const [key] of given) await deleteGiven(pool, { id, key });
  return undefined;
}

/**
 * Returns the value of a Secret's key for use in a header. If a REST request contained the value, first copies it into
 * the object's own Secret.
 */
export async function resolveOwnKey(
  deps: OwnSecretDeps,
  names: Names,
  {
    object,
    id,
    ref,
  }: Omit<SecretUser, 'keys'> & { ref: { name: string; key: string; max: number } },
): Promise<Resolved> {
  const own = ownSecretName(names, id);
  const user = { object, id, keys: [ref.key] };
  const why = ref.name === own ? await copyGiven(deps, names, user) : undefined;
  return why ?? resolveKey(deps.store, object.metadata.namespace, ref, { own });
}

/**
 * Deletes an object's own Secret if the object no longer refers to it, because a REST request removed the reference or
 * replaced it with a reference to a different Secret.
 */
export async function dropUnusedSecret<Spec>(
  deps: OwnSecretDeps,
  kind: Pick<KindOf<Spec>, 'idPrefix' | 'homeField' | 'rows'>,
  {
    object,
    id,
    refOf,
  }: Omit<SecretUser, 'keys'> & { refOf: (spec: Spec) => { name: string } | undefined },
): Promise<void> {
  const own = ownSecretName(kind, id);
  // The cast is safe, because the object is of this kind.
  if (refOf(object.spec as Spec)?.name === own) return;
  if (managedBy(object.owners[kind.homeField]) !== 'api') return;
  const before = await kind.rows.readActive(deps.pool, id);
  if (!before || refOf(before.spec)?.name !== own) return;
  await removeOwnSecret(deps, kind, { namespace: object.metadata.namespace, id });
}

/** Deletes an object's own Secret when the object is removed. */
export async function removeSecretOf(
  deps: Pick<OwnSecretDeps, 'store' | 'pool'>,
  { idPrefix, table }: Names & { table: string },
  key: ObjectKey,
): Promise<void> {
  const id = await projectionsIn(deps.pool, table).findIdByName(key);
  if (id !== undefined) await removeOwnSecret(deps, { idPrefix }, { ...key, id });
}

/**
 * Deletes the object's own Secret, unless another field manager writes to that Secret too. Also deletes given secrets
 * that have not been copied into it yet.
 */
async function removeOwnSecret(
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
