import { createHash, randomBytes } from 'node:crypto';
import { newUuid } from '../ids.ts';
import type { Scope } from '../platform/http/authorize.ts';
import { filteredBy, type ListPage } from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';

type KeyId = { namespace: string; id: string };

export type ApiKey = { id: string; namespace: string; scopes: Scope[] };

/** Visible properties of an API key. Times are Unix milliseconds. */
export type ApiKeyRow = ApiKey & {
  name: string;
  /** First characters of the key's text. They are shown in lists, so that people can recognize the key. */
  prefix: string;
  createdAt: number;
  lastUsedAt: number | null;
  /** Expiry, set when the key is created or rotated; null if the key does not expire. */
  expiresAt: number | null;
};

const PREFIX = 'parley_';
const PREFIX_SHOWN = 15;
const RANDOM_BYTES = 30;

/** Generates the text of a new key, which contains 240 random bits. The database stores only its hash. */
export function newKeyText(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
}

/**
 * Inserts a key with this text, unless a key with this text already exists. Returns the id of the new or the existing
 * key.
 */
export async function insertApiKey(
  db: Db,
  input: { namespace: string; scopes: readonly Scope[]; text: string; name?: string },
): Promise<string> {
  const row = await addApiKey(db, { name: '', ...input });
  if (row) return row.id;
  const { rows } = await db.query<{ id: string }>('select id from api_keys where hash = $1', [
    keyHashOf(input.text),
  ]);
  return rows[0]!.id; // The key exists, because keys are revoked but never deleted.
}

const COLUMNS = `id, namespace, scopes, name, prefix, created_at as "createdAt",
  last_used_at as "lastUsedAt", expires_at as "expiresAt"`;

export type NewApiKey = {
  namespace: string;
  scopes: readonly Scope[];
  name: string;
  /** Expiry; by default the key does not expire. */
  expiresAt?: number | null;
};

/** Inserts a key. Returns undefined if a key with this text already exists. */
export async function addApiKey(
  db: Db,
  input: NewApiKey & { text: string },
): Promise<ApiKeyRow | undefined> {
  const { namespace, scopes, text, name, expiresAt = null } = input;
  const end = expiresAt === null ? null : new Date(expiresAt);
  const { rows } = await db.query<ApiKeyRow>(
    `insert into api_keys (id, namespace, hash, prefix, scopes, name, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (hash) do nothing returning ${COLUMNS}`,
    [newUuid(), namespace, keyHashOf(text), text.slice(0, PREFIX_SHOWN), scopes, name, end],
  );
  return rows[0];
}

const LIVE = `revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`;

/** Time in ms until a key expires; null if it does not expire. */
type Ending = { endsInMs: number | null };
const ENDS_IN_MS = `(extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as "endsInMs"`;

/** Finds a live key. Searches by hash, so that the timing reveals nothing about the key. */
export async function findApiKey(db: Db, text: string): Promise<(ApiKey & Ending) | undefined> {
  const { rows } = await db.query<ApiKey & Ending>({
    name: 'find_api_key',
    text: `select id, namespace, scopes, ${ENDS_IN_MS} from api_keys where hash = $1 and ${LIVE}`,
    values: [keyHashOf(text)],
  });
  return rows[0];
}

/** Returns the keys among `ids` that are live. */
export async function listLiveKeys(
  db: Db,
  ids: readonly string[],
): Promise<(Ending & { id: string })[]> {
  const { rows } = await db.query<Ending & { id: string }>({
    name: 'list_live_keys',
    text: `select id, ${ENDS_IN_MS} from api_keys where id = any($1) and ${LIVE}`,
    values: [ids],
  });
  return rows;
}

export async function readApiKey(db: Db, key: KeyId): Promise<ApiKeyRow | undefined> {
  const { rows } = await db.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys where id = $1 and namespace = $2 and ${LIVE}`,
    [key.id, key.namespace],
  );
  return rows[0];
}

/** Returns live keys, newest first. */
export async function listApiKeys(
  db: Db,
  { namespace, before, limit }: ListPage,
): Promise<ApiKeyRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', namespace],
    ['id <', before],
  ]);
  const { rows } = await db.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys
      where ${where} and ${LIVE} order by id desc limit $${values.push(limit)}`,
    values,
  );
  return rows;
}

/** Counts live keys: `standing` is the number of keys without an expiry, and `ending` the number of keys with one. */
export async function countApiKeys(
  db: Db,
  namespace: string,
): Promise<{ standing: number; ending: number }> {
  const { rows } = await db.query<{ standing: number; ending: number }>(
    `select count(*) filter (where expires_at is null) as standing, count(expires_at) as ending
       from api_keys where namespace = $1 and ${LIVE}`,
    [namespace],
  );
  return rows[0]!; // `rows[0]` exists: an aggregate query always returns one row.
}

type LockedKey = { id: string; expiresAt: number | null; isManaging: boolean };

/**
 * Locks the live keys in `ids`, and every live key of the namespace that has the `keys` scope and no expiry
 * (`isManaging`). If two callers concurrently delete the last two such keys, or each other's key, the locks make the
 * second transaction wait until the first deletion is visible. A single statement locks all keys in a fixed order,
 * which prevents deadlocks.
 */
export async function lockManagingKeys(
  db: Db,
  namespace: string,
  ids: readonly string[],
): Promise<LockedKey[]> {
  const { rows } = await db.query<LockedKey>(
    `select id, expires_at as "expiresAt", expires_at is null and 'keys' = any(scopes) as "isManaging" from api_keys
      where namespace = $1 and ${LIVE}
        and (id = any($2) or (expires_at is null and 'keys' = any(scopes)))
      order by id for update`,
    [namespace, ids],
  );
  return rows;
}

/** Revokes a key. Returns undefined if another caller revoked it first. */
export async function revokeApiKey(db: Db, key: KeyId): Promise<ApiKeyRow | undefined> {
  const { rows } = await db.query<ApiKeyRow>(
    `update api_keys set revoked_at = clock_timestamp()
      where id = $1 and namespace = $2 and ${LIVE} returning ${COLUMNS}`,
    [key.id, key.namespace],
  );
  return rows[0];
}

/** Makes a key expire in `afterSec` seconds. Returns the expiry, or undefined if the key already had one. */
export async function expireApiKey(
  db: Db,
  key: KeyId,
  afterSec: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ expiresAt: number }>(
    `update api_keys set expires_at = clock_timestamp() + $3 * interval '1 second'
      where id = $1 and namespace = $2 and revoked_at is null and expires_at is null
     returning expires_at as "expiresAt"`,
    [key.id, key.namespace, afterSec],
  );
  return rows[0]?.expiresAt;
}

export async function noteKeyUse(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(
    `update api_keys set last_used_at = clock_timestamp()
      where id in (select id from api_keys where id = any($1) order by id for no key update)`,
    [ids],
  );
}

function keyHashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
