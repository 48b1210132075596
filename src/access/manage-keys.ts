import { ApiError, found, StartupError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import {
  addApiKey,
  countApiKeys,
  expireApiKey,
  findApiKey,
  lockManagingKeys,
  newKeyText,
  readApiKey,
  revokeApiKey,
  type ApiKeyRow,
  type NewApiKey,
} from './api-keys.sql.ts';
import { lockSession } from './sessions.sql.ts';
import { unixSec, unixSecOrNull } from '../platform/http/fields.ts';
import { SCOPES, type Scope } from '../platform/http/authorize.ts';
import { checkQuota, type QuotaDeps } from '../platform/declare/quota.ts';
import { lockCount } from '../platform/declare/quota.sql.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import {
  recordAudit,
  type AuditedBy,
  type AuditLine,
  type Fields,
} from '../audit/audit-log.sql.ts';
import { noCommitHook, type CommitHook } from '../platform/postgres/commit-hook.ts';

/**
 * Dependencies of the functions that manage API keys (contract/api-keys.md#creating). Callers cannot grant scopes that
 * they do not have. A namespace always keeps at least one key that may manage keys. Each change is committed together
 * with its audit entry.
 */

export type KeyDeps = {
  pool: Pool;
  /** Called after the commit with the id of a key that ended or got an expiry. */
  onKeyEnded: (keyId: string) => void;
};
export type KeyMakerDeps = QuotaDeps & KeyDeps;

/**
 * Caller that manages API keys. The caller either sent an API key, or has a session that was opened with an API key.
 * `scopes` are the scopes of that key.
 */
export type KeyManager = AuditedBy & {
  /** UUID of the key. */
  keyId: string;
  /** UUID of the session; null if the caller sent the key itself. */
  sessionId: string | null;
  scopes: readonly Scope[];
};

/** A new key. Its text is available only here. */
export type NewKey = { row: ApiKeyRow; text: string };

const SCOPES_MISSING = 'A key may only have scopes that your own key has';

/**
 * Creates an API key. Keys with an expiry, including keys that were rotated, have a separate quota.
 * @throws ApiError unauthorized; quota_exceeded; invalid_body if the new key would have scopes that the caller's key
 * lacks, would outlive the caller's key, or would expire in the past
 */
export function createKey(
  deps: KeyMakerDeps,
  caller: KeyManager,
  input: Omit<NewApiKey, 'namespace'>,
  beforeCommit: CommitHook<NewKey> = noCommitHook,
): Promise<NewKey> {
  const missing = missingScopes(caller, input.scopes);
  if (missing.length > 0) {
    const detail = `${SCOPES_MISSING}. Yours lacks ${missing.join(', ')}.`;
    throw new ApiError('invalid_body', detail, {
      errors: [{ pointer: '/scopes', code: 'too_many_scopes', detail }],
    });
  }
  return inTransaction(deps.pool, async (db) => {
    const { endsAt } = await lockKeys(db, caller);
    const isEnding = input.expiresAt !== undefined && input.expiresAt !== null;
    await requireRoom(db, deps, caller.namespace, isEnding ? 'ending' : 'standing');
    const scopes = SCOPES.filter((scope) => input.scopes.includes(scope)); // Removes duplicates.
    const made = await makeKey(db, { ...input, namespace: caller.namespace, scopes });
    requireFuture(made.row);
    requireNoLater(made.row, endsAt);
    await audit(db, caller, { action: 'api_key.created', row: made.row, after: toldOf(made.row) });
    await beforeCommit(db, made);
    return made;
  });
}

/**
 * Rotates a key: creates a new key with the same name and scopes. The old key expires after the overlap and cannot be
 * rotated again. Keys with an expiry, such as the old key, have a separate quota. A rotation is therefore possible even
 * if the quota for permanent keys is used up, but repeated rotations cannot create an unlimited number of keys. A
 * caller whose key has an expiry cannot rotate keys, because the new key would have no expiry.
 * @throws ApiError unauthorized, not_found, missing_scope, rotation_in_progress, quota_exceeded
 */
export async function rotateKey(
  deps: KeyMakerDeps,
  caller: KeyManager,
  input: { id: string; overlapSec: number },
  beforeCommit: CommitHook<NewKey> = noCommitHook,
): Promise<NewKey> {
  const key = { namespace: caller.namespace, id: input.id };
  const rotated = await inTransaction(deps.pool, async (db) => {
    const { endsAt } = await lockKeys(db, caller, input.id);
    await requireRoom(db, deps, caller.namespace, 'ending');
    const old = found(await readApiKey(db, key), 'API key');
    const missing = missingScopes(caller, old.scopes);
    if (missing.length > 0) {
      // Without this check, a key with only the `keys` scope could create a key with every scope.
      throw new ApiError('missing_scope', `${SCOPES_MISSING}. Yours lacks ${missing.join(', ')}.`);
    }
    // A rotation sets the expiry of the old key. The row is locked, so the second of two concurrent rotations finds
    // this expiry and fails.
    const expiresAt = await expireApiKey(db, key, input.overlapSec);
    if (expiresAt === undefined) {
      const detail =
        'This key already has an expiry, so it cannot be rotated. Rotate its successor, or create another key.';
      throw new ApiError('rotation_in_progress', detail);
    }
    if (endsAt !== null) {
      // The new key would have no expiry, so it would outlive the caller's key. This check comes last, because
      // `rotation_in_progress` would apply to every caller and therefore takes precedence.
      const detail = `Your own key expires at ${unixSec(endsAt)} and cannot create a key that outlives it.`;
      throw new ApiError('missing_scope', detail);
    }
    const { namespace, name, scopes } = old;
    const made = await makeKey(db, { namespace, name, scopes });
    await audit(db, caller, {
      action: 'api_key.rotated',
      row: old,
      before: { expires_at: unixSecOrNull(old.expiresAt) },
      after: { expires_at: unixSec(expiresAt) },
      detail: { new_key: fromUuid('key', made.row.id), overlap_sec: input.overlapSec },
    });
    await beforeCommit(db, made);
    return made;
  });
  deps.onKeyEnded(input.id);
  return rotated;
}

/**
 * Deletes an API key. A namespace must keep at least one key that can manage keys and does not expire (`last_key`).
 * @throws ApiError unauthorized, not_found, last_key
 */
export async function deleteKey(
  { pool, onKeyEnded }: KeyDeps,
  caller: KeyManager,
  id: string,
): Promise<void> {
  const key = { namespace: caller.namespace, id };
  await inTransaction(pool, async (db) => {
    const { managing } = await lockKeys(db, caller, id);
    const row = found(await readApiKey(db, key), 'API key');
    if (row.scopes.includes('keys') && managing.every((other) => other === id)) {
      const detail =
        'This is the last key without an expiry that can manage the keys of the namespace. First ' +
        'create another key with the `keys` scope and without an expiry.';
      throw new ApiError('last_key', detail);
    }
    found(await revokeApiKey(db, key), 'API key');
    await audit(db, caller, { action: 'api_key.deleted', row, before: toldOf(row) });
  });
  onKeyEnded(id);
}

/**
 * Locks the caller's own key and session, the keys in `others`, and all keys in `managing`. The lock is needed because
 * the caller's key or session may have ended although this process still has it cached. An ended key must not create
 * another key. `managing` contains the IDs of the keys that can manage keys and do not expire. `endsAt` is the expiry
 * of the caller's key in Unix ms, or null if it has none.
 * @throws ApiError unauthorized
 */
async function lockKeys(
  db: Db,
  { namespace, keyId, sessionId }: KeyManager,
  ...others: string[]
): Promise<{ managing: string[]; endsAt: number | null }> {
  const locked = await lockManagingKeys(db, namespace, [keyId, ...others]);
  const own = locked.find(({ id }) => id === keyId);
  if (!own) throw new ApiError('unauthorized', 'The API key was revoked or has expired.');
  if (sessionId !== null && !(await lockSession(db, { namespace, id: sessionId }))) {
    throw new ApiError('unauthorized', 'The session has ended. Sign in again.');
  }
  const managing = locked.filter(({ isManaging }) => isManaging).map(({ id }) => id);
  return { managing, endsAt: own.expiresAt };
}

/**
 * Adds a key with a given text, which comes from the environment or the command line. Returns undefined if a key with
 * this text exists or existed.
 * @throws StartupError if a live key of another namespace has this text
 */
export function addGivenKey(
  { pool }: Pick<KeyDeps, 'pool'>,
  actor: string,
  key: NewApiKey & { text: string },
): Promise<ApiKeyRow | undefined> {
  return inTransaction(pool, async (db) => {
    const row = await addApiKey(db, key);
    const by = { namespace: key.namespace, actor };
    if (row) await audit(db, by, { action: 'api_key.created', row, after: toldOf(row) });
    else requireNamespace(key, await findApiKey(db, key.text));
    return row;
  });
}

/**
 * Checks that `known`, the stored key with the same text, belongs to the same namespace as the given key. Does nothing
 * if no such key is stored.
 * @throws StartupError if `known` belongs to another namespace
 */
export function requireNamespace(
  { name, namespace }: Pick<NewApiKey, 'name' | 'namespace'>,
  known: { namespace: string } | undefined,
): void {
  if (known === undefined || known.namespace === namespace) return;
  const detail = `${name} belongs to namespace ${known.namespace}: use another key for namespace ${namespace}`;
  throw new StartupError(detail);
}

async function requireRoom(
  db: Db,
  deps: QuotaDeps,
  namespace: string,
  which: 'standing' | 'ending',
): Promise<void> {
  await lockCount(db, 'api_keys', namespace);
  checkQuota(deps, 'api_keys', { used: (await countApiKeys(db, namespace))[which] });
}

async function makeKey(db: Db, input: NewApiKey): Promise<NewKey> {
  const text = newKeyText();
  const row = await addApiKey(db, { ...input, text });
  if (!row) throw new Error('two keys of 240 random bits are the same');
  return { row, text };
}

/**
 * Requires an expiry in the future. Compares with the database's clock, which decides when the key ends.
 * @throws ApiError invalid_body
 */
function requireFuture({ expiresAt, createdAt }: ApiKeyRow): void {
  if (expiresAt === null || expiresAt > createdAt) return;
  const detail = 'must be in the future, in Unix seconds';
  throw new ApiError('invalid_body', `expires_at: ${detail}`, {
    errors: [{ pointer: '/expires_at', code: 'invalid_value', detail }],
  });
}

/**
 * Requires that the new key does not outlive the caller's key. Without this check, a key that is valid for a day could
 * create a permanent key.
 * @throws ApiError invalid_body
 */
function requireNoLater({ expiresAt }: ApiKeyRow, endsAt: number | null): void {
  if (endsAt === null || (expiresAt !== null && expiresAt <= endsAt)) return;
  const detail = `must be at most ${unixSec(endsAt)}, the time at which your own key expires`;
  throw new ApiError('invalid_body', `expires_at: ${detail}`, {
    errors: [{ pointer: '/expires_at', code: 'invalid_value', detail }],
  });
}

function missingScopes(caller: KeyManager, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => !caller.scopes.includes(scope));
}

/** Returns the visible fields of a key, for the audit log. */
function toldOf({ name, scopes, prefix, expiresAt }: ApiKeyRow): Fields {
  return { name, scopes, prefix, expires_at: unixSecOrNull(expiresAt) };
}

function audit(
  db: Db,
  by: AuditedBy,
  { row, detail, ...line }: Omit<AuditLine, 'target'> & { row: ApiKeyRow },
): Promise<void> {
  const { name, scopes, prefix } = row;
  const target = fromUuid('key', row.id);
  return recordAudit(db, by, { ...line, target, detail: { name, scopes, prefix, ...detail } });
}
