import { filteredBy, type ListPage } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { SealedColumn } from '../../platform/postgres/sealed-values.ts';
import type { ManagedBy } from '../../platform/resources/kind-names.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';
import type { TelephonyProviderSpec } from './telephony-provider.ts';

/** A TelephonyProvider as the operator has projected it: the row the API reads. Times are Unix ms. */
export type TelephonyProviderRow = {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  spec: TelephonyProviderSpec;
  ready: boolean;
  reason: string;
  message: string;
  createdAt: number;
  updatedAt: number;
};

/** Of a declaration what calls go by; its numbers have a table of their own. */
export type AccountSpec = Omit<TelephonyProviderSpec, 'numbers' | 'metadata'>;
/** With the sealed token that belongs to it. */
export type AccountInForce = { spec: AccountSpec; authToken: Buffer };

export type ProviderProjection = Omit<TelephonyProviderRow, 'createdAt' | 'updatedAt'>;

/** The reason of `Accepted=False` while another provider of the namespace has one of the numbers. */
export const NUMBER_TAKEN = 'NumberTaken';

const COLUMNS = `id, namespace, name, uid, generation, managed_by as "managedBy", spec, ready, reason,
  message, created_at as "createdAt", updated_at as "updatedAt"`;

export async function readProvider(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<TelephonyProviderRow | undefined> {
  const { rows } = await db.query<TelephonyProviderRow>({
    name: 'read_telephony_provider',
    text: `select ${COLUMNS} from telephony_providers
            where id = $1 and namespace = $2 and deleted_at is null`,
    values: [id, namespace],
  });
  return rows[0];
}

export type ProviderFilter = ListPage & {
  name?: string | undefined;
  managedBy?: string | undefined;
  ready?: boolean | undefined;
  /** One that is in force. */
  number?: string | undefined;
};

/** Newest first. */
export async function listProviders(
  db: Db,
  filter: ProviderFilter,
): Promise<TelephonyProviderRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['name =', filter.name],
    ['managed_by =', filter.managedBy],
    ['ready =', filter.ready],
    [
      'id = (select provider_id from telephony_numbers n where n.namespace = $1 and number = ?)',
      filter.number,
    ],
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<TelephonyProviderRow>(
    `select ${COLUMNS} from telephony_providers where ${where} and deleted_at is null
      order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** What calls of one that the operator looks at go by; null: nothing was in force yet. */
export async function readInForce(db: Db, id: string): Promise<AccountInForce | null> {
  const { rows } = await db.query<AccountInForce>(
    `select in_force as spec, auth_token as "authToken" from telephony_providers
      where id = $1 and deleted_at is null and in_force is not null`,
    [id],
  );
  return rows[0] ?? null;
}

/** Writes what is declared; `inForce` null leaves what calls go by as it was. */
export async function upsertProvider(
  db: Db,
  provider: ProviderProjection,
  inForce: AccountInForce | null,
): Promise<void> {
  const p = provider;
  await db.query(
    `insert into telephony_providers as t
       (id, namespace, name, uid, generation, managed_by, spec, ready, reason, message, in_force,
        auth_token)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (id) do update set
       namespace = excluded.namespace, name = excluded.name, uid = excluded.uid,
       generation = excluded.generation, managed_by = excluded.managed_by, spec = excluded.spec,
       ready = excluded.ready, reason = excluded.reason, message = excluded.message,
       -- Address and token go together: never an old token to a new address.
       auth_token = case when excluded.in_force is null then t.auth_token else excluded.auth_token end,
       in_force = coalesce(excluded.in_force, t.in_force),
       updated_at = case when (t.generation, t.uid) is distinct from
         (excluded.generation, excluded.uid) then now() else t.updated_at end,
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
      inForce?.authToken ?? null,
    ],
  );
}

type GoneProvider = Pick<TelephonyProviderRow, 'id' | 'name' | 'managedBy' | 'spec'>;

/**
 * Hides the provider of this name, unless it is `exceptId`, forgets its token, lets go of its numbers and
 * returns what it was. The row stays, so that the same manifest continues under the same id.
 */
export async function markProviderDeleted(
  db: Db,
  key: ObjectKey,
  exceptId: string | null = null,
): Promise<GoneProvider | undefined> {
  const { rows } = await db.query<GoneProvider>(
    `with gone as (
       update telephony_providers
          set deleted_at = now(), updated_at = now(), ready = false, in_force = null, auth_token = null
        where namespace = $1 and name = $2 and deleted_at is null and ($3::uuid is null or id <> $3)
       returning id, name, managed_by as "managedBy", spec
     ), free as (
       delete from telephony_numbers where provider_id in (select id from gone)
     )
     select * from gone`,
    [key.namespace, key.name, exceptId],
  );
  return rows[0];
}

/** What a sealed token is authenticated with: in another row it does not open. */
export function authTokenPlace(namespace: string, id: string): string {
  return `telephony_provider:${namespace}/${id}`;
}

export const SEALED_AUTH_TOKEN_COLUMN: SealedColumn = {
  table: 'telephony_providers',
  value: 'auth_token',
  assign: (bytes) => `auth_token = ${bytes}`,
  key: [['id', 'uuid']],
  with: ['namespace'],
  place: ({ namespace = '', id = '' }) => authTokenPlace(namespace, id),
  where: 'true',
};
