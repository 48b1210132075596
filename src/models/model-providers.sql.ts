import { filteredBy, type ListPage } from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { SealedColumn } from '../platform/postgres/sealed-values.ts';
import type { ManagedBy } from '../platform/resources/kind-names.ts';
import type { ModelProviderSpec } from './model-provider.ts';

/** A ModelProvider as the operator has projected it: the row the API reads. Times are Unix ms. */
export type ModelProviderRow = {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  spec: ModelProviderSpec;
  ready: boolean;
  reason: string;
  message: string;
  createdAt: number;
  updatedAt: number;
};

/** What requests go by: a declaration, and the sealed key that belongs to it. */
export type InForce = { spec: ModelProviderSpec; apiKey: Buffer | null };

export type ProviderProjection = Omit<ModelProviderRow, 'createdAt' | 'updatedAt'>;

const COLUMNS = `id, namespace, name, uid, generation, managed_by as "managedBy", spec, ready, reason,
  message, created_at as "createdAt", updated_at as "updatedAt"`;

export async function readProvider(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<ModelProviderRow | undefined> {
  const { rows } = await db.query<ModelProviderRow>({
    name: 'read_model_provider',
    text: `select ${COLUMNS} from model_providers
            where id = $1 and namespace = $2 and deleted_at is null`,
    values: [id, namespace],
  });
  return rows[0];
}

export type ProviderFilter = ListPage & {
  name?: string | undefined;
  managedBy?: string | undefined;
  ready?: boolean | undefined;
};

/** Newest first. */
export async function listProviders(db: Db, filter: ProviderFilter): Promise<ModelProviderRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['name =', filter.name],
    ['managed_by =', filter.managedBy],
    ['ready =', filter.ready],
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<ModelProviderRow>(
    `select ${COLUMNS} from model_providers where ${where} and deleted_at is null
      order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** What is in force under a name; undefined: nothing is, or there is no such provider. */
export async function findInForce(
  db: Db,
  { namespace, name }: { namespace: string; name: string },
): Promise<(InForce & { id: string }) | undefined> {
  const { rows } = await db.query<InForce & { id: string }>({
    name: 'find_model_provider',
    text: `select id, in_force as spec, api_key as "apiKey" from model_providers
            where namespace = $1 and name = $2 and deleted_at is null and in_force is not null`,
    values: [namespace, name],
  });
  return rows[0];
}

/** The same of one that the operator looks at; null: nothing was in force yet. */
export async function readInForce(db: Db, id: string): Promise<InForce | null> {
  const { rows } = await db.query<InForce>(
    `select in_force as spec, api_key as "apiKey" from model_providers
      where id = $1 and deleted_at is null and in_force is not null`,
    [id],
  );
  return rows[0] ?? null;
}

/** Writes what is declared; `inForce` null leaves what requests go by as it was. */
export async function upsertProvider(
  db: Db,
  provider: ProviderProjection,
  inForce: InForce | null,
): Promise<void> {
  const p = provider;
  await db.query(
    `insert into model_providers as m
       (id, namespace, name, uid, generation, managed_by, spec, ready, reason, message, in_force, api_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (id) do update set
       namespace = excluded.namespace, name = excluded.name, uid = excluded.uid,
       generation = excluded.generation, managed_by = excluded.managed_by, spec = excluded.spec,
       ready = excluded.ready, reason = excluded.reason, message = excluded.message,
       -- Address and key go together: never an old key to a new address.
       api_key = case when excluded.in_force is null then m.api_key else excluded.api_key end,
       in_force = coalesce(excluded.in_force, m.in_force),
       updated_at = case when (m.generation, m.uid) is distinct from
         (excluded.generation, excluded.uid) then now() else m.updated_at end,
       deleted_at = null`,
    [
      p.id,
      p.namespace,
      p.name,
      p.uid,
      p.generation,
      p.managedBy,
      p.spec,
      p.ready,
      p.reason,
      p.message,
      inForce?.spec ?? null,
      inForce?.apiKey ?? null,
    ],
  );
}

type GoneProvider = Pick<ModelProviderRow, 'id' | 'name' | 'managedBy' | 'spec'>;

/**
 * Hides the provider of this name, unless it is `exceptId`, forgets its key and returns what it was.
 * The row stays, so that the same manifest continues under the same id.
 */
export async function markProviderDeleted(
  db: Db,
  key: { namespace: string; name: string },
  exceptId: string | null = null,
): Promise<GoneProvider | undefined> {
  const { rows } = await db.query<GoneProvider>(
    `update model_providers
        set deleted_at = now(), updated_at = now(), ready = false, in_force = null, api_key = null
      where namespace = $1 and name = $2 and deleted_at is null and ($3::uuid is null or id <> $3)
     returning id, name, managed_by as "managedBy", spec`,
    [key.namespace, key.name, exceptId],
  );
  return rows[0];
}

/** What a sealed key is authenticated with: in another row it does not open. */
export function providerKeyPlace(namespace: string, id: string): string {
  return `model_provider:${namespace}/${id}`;
}

export const SEALED_PROVIDER_COLUMN: SealedColumn = {
  table: 'model_providers',
  value: 'api_key',
  assign: (bytes) => `api_key = ${bytes}`,
  key: [['id', 'uuid']],
  with: ['namespace'],
  place: ({ namespace = '', id = '' }) => providerKeyPlace(namespace, id),
  where: 'true',
};
