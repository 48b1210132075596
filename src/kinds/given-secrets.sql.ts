import type { RowKey } from '../platform/declare/declared-kind.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { SealedColumn } from '../platform/postgres/sealed-values.ts';

/**
 * Identifies a secret that a REST request contained. The secret is stored until the operator has copied it into a
 * Secret. `key` is its key within that Secret, and `id` is the UUID of the object that uses it.
 */
export type GivenKey = RowKey & { key: string };

/**
 * Time after which a row is deleted even if the operator has not copied its secret. If a process dies after it has
 * written the row but not the declaration, nothing ever uses the row.
 */
const KEPT = '30 days';

/** Stores a given secret. Does nothing if an earlier attempt of the same request has already stored it. */
export async function insertGiven(
  db: Db,
  { id, key, namespace }: GivenKey,
  sealed: Buffer,
): Promise<void> {
  await db.query(
    `with expired as (delete from given_secrets where created_at < now() - interval '${KEPT}')
     insert into given_secrets (object_id, key, namespace, sealed) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [id, key, namespace, sealed],
  );
}

/** Returns the encrypted (sealed) given secrets of an object, by key. */
export async function listGiven(db: Db, id: string): Promise<Map<string, Buffer>> {
  const { rows } = await db.query<{ key: string; sealed: Buffer }>(
    'select key, sealed from given_secrets where object_id = $1 order by created_at, key',
    [id],
  );
  return new Map(rows.map(({ key, sealed }) => [key, sealed]));
}

/** Deletes a given secret, or all given secrets of an object if `key` is omitted. */
export async function deleteGiven(
  db: Db,
  { id, key }: { id: string; key?: string },
): Promise<void> {
  await db.query(
    'delete from given_secrets where object_id = $1 and ($2::text is null or key = $2)',
    [id, key ?? null],
  );
}

/**
 * Returns the associated data (`place`) of a given secret. It binds the secret to its object and key, so that a secret
 * copied to another row cannot be decrypted.
 */
export function givenPlace({ namespace, id, key }: GivenKey): string {
  return `given:${namespace}/${id}/${key}`;
}

/** Column with the given secrets, which are encrypted (sealed). */
export const SEALED_GIVEN_COLUMN: SealedColumn = {
  table: 'given_secrets',
  value: 'sealed',
  assign: (bytes) => `sealed = ${bytes}`,
  key: [
    ['object_id', 'uuid'],
    ['key', 'text'],
  ],
  with: ['namespace'],
  place: ({ namespace = '', object_id: id = '', key = '' }) => givenPlace({ namespace, id, key }),
  where: 'true',
};
