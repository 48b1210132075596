import { createHash, randomBytes } from 'node:crypto';
import { newUuid } from '../events/ids.ts';
import type { Db } from './pool.ts';

/** What a key may do (contract §3). */
export const SCOPES = ['read', 'write', 'publish', 'replay', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];

export type ApiKey = { id: string; namespace: string; scopes: Scope[] };

const PREFIX = 'parley_';
const PREFIX_SHOWN = 15;
const RANDOM_BYTES = 30;

/** A new key's text: 240 random bits. Only its hash is stored. */
export function newKeyText(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
}

export async function insertApiKey(
  db: Db,
  input: { namespace: string; scopes: readonly Scope[]; text: string },
): Promise<string> {
  const id = newUuid();
  const { rows } = await db.query<{ id: string }>(
    `insert into api_keys (id, namespace, hash, prefix, scopes) values ($1, $2, $3, $4, $5)
     on conflict (hash) do update set prefix = excluded.prefix
     returning id`,
    [id, input.namespace, hashOf(input.text), input.text.slice(0, PREFIX_SHOWN), input.scopes],
  );
  return rows[0]!.id; // An upsert always returns its row.
}

/** Looked up by hash, so the time it takes tells nothing of the key. */
export async function findApiKey(db: Db, text: string): Promise<ApiKey | undefined> {
  const { rows } = await db.query<ApiKey>({
    name: 'find_api_key',
    text: `select id, namespace, scopes from api_keys where hash = $1 and revoked_at is null`,
    values: [hashOf(text)],
  });
  return rows[0];
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
