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
 * API keys (contract/api-keys.md#creating). Nobody gives away more than they have, and no namespace loses its
 * last key that may manage keys; each act is committed with its line of the audit log.
 */

export type KeyDeps = {
  pool: Pool;
  /** Called after the commit with a key that ended or got an end. */
  onKeyEnded: (keyId: string) => void;
};
export type KeyMakerDeps = QuotaDeps & KeyDeps;

/** Who acts, by their own key or in a session of it; `scopes` are that key's. */
export type KeyManager = AuditedBy & {
  /** uuid of that key */
  keyId: string;
  /** uuid; null: they sent the key itself. */
  sessionId: string | null;
  scopes: readonly Scope[];
};

/** The only time that the key's text is seen. */
export type NewKey = { row: ApiKeyRow; text: string };

const SCOPES_MISSING = 'a key may be given no more scopes than your own has';

/**
 * One that ends is counted against the quota with those that run out, and is nobody's last key.
 * @throws ApiError unauthorized, quota_exceeded, invalid_body when it is more than the caller's own
 * key may do, outlives that key, or its end is over
 */
export function createKey(
  deps: KeyMakerDeps,
  caller: KeyManager,
  input: Omit<NewApiKey, 'namespace'>,
  beforeCommit: CommitHook<NewKey> = noCommitHook,
): Promise<NewKey> {
  const missing = missingScopes(caller, input.scopes);
  if (missing.length > 0) {
    const detail = `${SCOPES_MISSING}: it lacks ${missing.join(', ')}`;
    throw new ApiError('invalid_body', detail, {
      errors: [{ pointer: '/scopes', code: 'too_many_scopes', detail }],
    });
  }
  return inTransaction(deps.pool, async (db) => {
    const { endsAt } = await lockKeys(db, caller);
    const isEnding = input.expiresAt !== undefined && input.expiresAt !== null;
    await requireRoom(db, deps, caller.namespace, isEnding ? 'ending' : 'standing');
    const scopes = SCOPES.filter((scope) => input.scopes.includes(scope)); // Each once.
    const made = await makeKey(db, { ...input, namespace: caller.namespace, scopes });
    requireFuture(made.row);
    requireNoLater(made.row, endsAt);
    await audit(db, caller, { action: 'api_key.created', row: made.row, after: toldOf(made.row) });
    await beforeCommit(db, made);
    return made;
  });
}

/**
 * A new key of the same name and scopes; the old one ends when the overlap does, and cannot be
 * rotated again. Where the quota is used up a key can still be rotated; those that end are counted
 * apart, or a chain of rotations would make any number. A key that ends rotates none: it would have
 * one that lasts.
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
      // Else a key that may only manage keys could make itself one that may do everything.
      throw new ApiError('missing_scope', `${SCOPES_MISSING}: it lacks ${missing.join(', ')}`);
    }
    // Its row is locked: of two rotations at once one fails.
    const expiresAt = await expireApiKey(db, key, input.overlapSec);
    if (expiresAt === undefined) {
      const detail = 'it ends by itself: make another key, or rotate the one that came after it';
      throw new ApiError('rotation_in_progress', detail);
    }
    if (endsAt !== null) {
      // What it makes has no end. Here, so that one that cannot be rotated says that.
      const detail = `your own key ends at ${unixSec(endsAt)} and makes none that outlives it`;
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

/** @throws ApiError unauthorized, not_found, last_key */
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
      const detail = 'nobody could manage the keys of this namespace any more: make another first';
      throw new ApiError('last_key', detail);
    }
    found(await revokeApiKey(db, key), 'API key');
    await audit(db, caller, { action: 'api_key.deleted', row, before: toldOf(row) });
  });
  onKeyEnded(id);
}

/**
 * Locks the caller's own key, and session, which another process may have ended while this one remembers it: it
 * must leave no successor. `managing`: ids of those that may manage keys and do not expire; `endsAt`:
 * when the caller's own ends, Unix ms, null: never.
 * @throws ApiError unauthorized
 */
async function lockKeys(
  db: Db,
  { namespace, keyId, sessionId }: KeyManager,
  ...others: string[]
): Promise<{ managing: string[]; endsAt: number | null }> {
  const locked = await lockManagingKeys(db, namespace, [keyId, ...others]);
  const own = locked.find(({ id }) => id === keyId);
  if (!own) throw new ApiError('unauthorized', 'the API key was revoked or ran out');
  if (sessionId !== null && !(await lockSession(db, { namespace, id: sessionId }))) {
    throw new ApiError('unauthorized', 'the session has ended: sign in again');
  }
  const managing = locked.filter(({ isManaging }) => isManaging).map(({ id }) => id);
  return { managing, endsAt: own.expiresAt };
}

/**
 * Makes a given text a key, unless it is or was one: set in the environment or made by the command
 * line. Undefined when there was nothing to do.
 * @throws StartupError if the text is a key of another namespace
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

/** @throws StartupError if `known`, the stored key with the same text, is of another namespace */
export function requireNamespace(
  { name, namespace }: Pick<NewApiKey, 'name' | 'namespace'>,
  known: { namespace: string } | undefined,
): void {
  if (known === undefined || known.namespace === namespace) return;
  const detail = `${name}: this key belongs to namespace ${known.namespace}; use another key for ${namespace}`;
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

/** By the database's clock, which decides when it ends. @throws ApiError invalid_body */
function requireFuture({ expiresAt, createdAt }: ApiKeyRow): void {
  if (expiresAt === null || expiresAt > createdAt) return;
  const detail = 'must be in the future, in Unix seconds';
  throw new ApiError('invalid_body', `expires_at: ${detail}`, {
    errors: [{ pointer: '/expires_at', code: 'invalid_value', detail }],
  });
}

/** Else whoever has a key for a day makes one for ever. @throws ApiError invalid_body */
function requireNoLater({ expiresAt }: ApiKeyRow, endsAt: number | null): void {
  if (endsAt === null || (expiresAt !== null && expiresAt <= endsAt)) return;
  const detail = `must be ${unixSec(endsAt)} at the latest, when your own key ends`;
  throw new ApiError('invalid_body', `expires_at: ${detail}`, {
    errors: [{ pointer: '/expires_at', code: 'invalid_value', detail }],
  });
}

function missingScopes(caller: KeyManager, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => !caller.scopes.includes(scope));
}

/** What there is to see of it. */
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
