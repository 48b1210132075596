import type { Db } from '../../platform/postgres/pool.ts';
import type { SealedColumn } from '../../platform/postgres/sealed-values.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';

/**
 * Secrets of an endpoint, encrypted (sealed) in its row: its signing secrets and the values of its extra headers. If a
 * REST request created or changed them, the row is the primary copy, and the operator copies them into a Secret.
 * Otherwise the row is the operator's copy of the declaration (decision 19).
 */
export type SealedEndpoint = {
  /** Signing secrets; null if the endpoint has none yet. */
  secrets: SealedSecrets | null;
  declaredHeaders: Buffer | null;
  restHeaders: Buffer | null;
  /** Whether the row has headers that an earlier release stored unencrypted. */
  hasPlainHeaders: boolean;
  /** Revision of the secrets. Each change to a signing secret or a header through REST increments it. */
  revision: number;
  /** Whether the endpoint's Secret has the secrets of this revision. */
  isCopied: boolean;
  /** Revision of the headers. Each change to the headers through REST increments it. */
  headerRevision: number;
};

/** Encrypted signing secret of an endpoint, with the rotation in progress. */
export type SealedSecrets = { secret: Buffer; next: SealedRotation | null };

/** Next secret of a rotation. Times are Unix ms. */
export type SealedRotation = { secret: Buffer; atMs: number; oldUntilMs: number };

/**
 * Header names and encrypted header values. `sealed` is the encrypted JSON that maps names to values, or null if the
 * endpoint has no headers.
 */
export type SealedHeaders = { sealed: Buffer | null; names: string[] };

/**
 * Returns the associated data (`place`) of an endpoint's signing secrets. It binds the encrypted value to this
 * endpoint, because decryption with any other associated data fails (sealing.ts).
 */
export function endpointSecretPlace(namespace: string, id: string): string {
  return `endpoint:${namespace}/${id}`;
}

/** Returns the associated data (`place`) of an endpoint's encrypted header values. */
export function endpointHeadersPlace(namespace: string, id: string): string {
  return `endpoint-headers:${namespace}/${id}`;
}

type SecretRow = {
  secret: Buffer | null;
  nextSecret: Buffer | null;
  nextSecretAt: number;
  oldSecretUntil: number;
} & Omit<SealedEndpoint, 'secrets'>;

const COLUMNS = `secret, next_secret as "nextSecret", next_secret_at as "nextSecretAt",
  old_secret_until as "oldSecretUntil", declared_headers as "declaredHeaders",
  rest_headers as "restHeaders", headers <> '{}' as "hasPlainHeaders",
  secret_revision as revision, copied_revision >= secret_revision as "isCopied",
  header_revision as "headerRevision"`;

function toSealedEndpoint(row: SecretRow): SealedEndpoint {
  const { secret, nextSecret, nextSecretAt: atMs, oldSecretUntil: oldUntilMs, ...rest } = row;
  const next = nextSecret && { secret: nextSecret, atMs, oldUntilMs };
  return { ...rest, secrets: secret && { secret, next } };
}

/**
 * Returns the encrypted secrets, or undefined if there is no row. The row of a deleted endpoint still exists, but has
 * no secrets.
 */
export async function readSealedEndpoint(
  db: Db,
  id: string,
  { lock = false } = {},
): Promise<SealedEndpoint | undefined> {
  const { rows } = await db.query<SecretRow>(
    `select ${COLUMNS} from webhook_endpoints where id = $1${lock ? ' for update' : ''}`,
    [id],
  );
  return rows[0] && toSealedEndpoint(rows[0]);
}

/**
 * Locks the row of an endpoint until the transaction ends. Returns undefined if the endpoint does not exist. `nowMs` is
 * the database's clock.
 */
export async function lockSealedEndpoint(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<(SealedEndpoint & { nowMs: number }) | undefined> {
  const { rows } = await db.query<SecretRow & { nowMs: number }>(
    `select ${COLUMNS}, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs"
       from webhook_endpoints where id = $1 and namespace = $2 and deleted_at is null for update`,
    [id, namespace],
  );
  return rows[0] && { ...toSealedEndpoint(rows[0]), nowMs: rows[0].nowMs };
}

/** Stores signing secrets that a REST request changed. */
export async function updateSecrets(
  db: Db,
  { id, secret, next }: { id: string } & SealedSecrets,
): Promise<void> {
  await db.query(
    `update webhook_endpoints
        set secret = $2, next_secret = $3, next_secret_at = to_timestamp($4 / 1000.0),
            old_secret_until = to_timestamp($5 / 1000.0), secret_revision = secret_revision + 1
      where id = $1`,
    [id, secret, next?.secret ?? null, next?.atMs ?? null, next?.oldUntilMs ?? null],
  );
}

/** Stores headers that a REST request changed. Returns false if `headerRevision` is out of date. */
export async function updateRestHeaders(
  db: Db,
  { id, headerRevision, sealed, names }: { id: string; headerRevision: number } & SealedHeaders,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update webhook_endpoints
        set rest_headers = $3, rest_header_names = $4, header_revision = header_revision + 1,
            secret_revision = secret_revision + 1
      where id = $1 and header_revision = $2 and deleted_at is null`,
    [id, headerRevision, sealed, names],
  );
  return rowCount === 1;
}

/**
 * Stores headers that were set through REST but are missing from the row. They come from the endpoint's Secret if the
 * database was lost, or from a declaration that an earlier release wrote. Does not replace headers that the row already
 * has.
 */
export async function adoptRestHeaders(
  db: Db,
  { id, sealed, names }: { id: string } & SealedHeaders,
): Promise<void> {
  await db.query(
    `update webhook_endpoints
        set rest_headers = $2, rest_header_names = $3, secret_revision = secret_revision + 1
      where id = $1 and rest_headers is null`,
    [id, sealed, names],
  );
}

/**
 * Stores the secrets of an endpoint that a REST request is about to declare. The row counts as deleted until the
 * operator applies the declaration. If the row exists already, an earlier attempt of the same request created it. In
 * that case, the row stays unchanged.
 */
export async function insertUndeclared(
  db: Db,
  endpoint: { id: string; url: string; secret: Buffer; headers: SealedHeaders } & ObjectKey,
): Promise<void> {
  const { id, namespace, name, url, secret, headers } = endpoint;
  await db.query(
    `insert into webhook_endpoints
       (id, namespace, name, uid, generation, managed_by, url, event_types, description, enabled,
        metadata, secret, rest_headers, rest_header_names, secret_revision, deleted_at)
     values ($1, $2, $3, $1, 0, 'api', $4, '{}', '', false, '{}', $5, $6, $7, 1, now())
     on conflict (id) do nothing`,
    [id, namespace, name, url, secret, headers.sealed, headers.names],
  );
}

/** Deletes the row of an endpoint whose declaration was rejected, or was deleted before the operator applied it. */
export async function deleteUndeclared(db: Db, { namespace, name }: ObjectKey): Promise<void> {
  await db.query(
    `delete from webhook_endpoints
      where namespace = $1 and name = $2 and generation = 0 and deleted_at is not null`,
    [namespace, name],
  );
}

/** Lists endpoints whose Secret lacks the latest changes made through REST. */
export async function listNotCopied(db: Db): Promise<ObjectKey[]> {
  const { rows } = await db.query<ObjectKey>({
    name: 'list_endpoints_not_copied',
    text: `select namespace, name from webhook_endpoints
            where copied_revision < secret_revision and deleted_at is null`,
  });
  return rows;
}

/**
 * Records that the Secret has the secrets of `revision`. `revision` was read before copying, so later changes through
 * REST still count as not copied.
 */
export async function markCopied(db: Db, id: string, revision: number): Promise<void> {
  await db.query('update webhook_endpoints set copied_revision = $2 where id = $1', [id, revision]);
}

/**
 * Columns with encrypted signing secrets and headers (contract/webhooks.md#rotation). Rows that are marked as deleted
 * are included, because the row of a new endpoint is marked as deleted until the operator applies the declaration.
 */
export const SEALED_ENDPOINT_COLUMNS: readonly SealedColumn[] = [
  ...['secret', 'next_secret'].map((value) => sealedColumn(value, endpointSecretPlace)),
  ...['declared_headers', 'rest_headers'].map((value) => sealedColumn(value, endpointHeadersPlace)),
];

function sealedColumn(
  value: string,
  placeOf: (namespace: string, id: string) => string,
): SealedColumn {
  return {
    table: 'webhook_endpoints',
    value,
    assign: (bytes) => `${value} = ${bytes}`,
    key: [['id', 'uuid']],
    with: ['namespace'],
    place: ({ namespace = '', id = '' }) => placeOf(namespace, id),
    where: 'true',
  };
}
