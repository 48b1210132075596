import { recordAudit } from '../audit/audit-log.sql.ts';
import { ApiError } from '../errors.ts';
import { fromUuid, newUuid } from '../ids.ts';
import { sessionActor, type Client } from '../platform/http/authorize.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { findApiKey } from './api-keys.sql.ts';
import { isPlainName } from './plain-name.ts';
import { newSessionToken, newSignInToken, tokenHashOf } from './session-token.ts';
import { countSessions, insertSession, lockKeyOf, type SessionRow } from './sessions.sql.ts';
import { insertSignInToken, useSignInToken } from './sign-in-tokens.sql.ts';

/** This module signs people in: it exchanges a credential for a session (contract/sessions.md#signing-in). */

/** Proof of identity. A new way to sign in needs a new member of this union. */
export type Credential = { apiKey: string; name: string } | { signInToken: string; name?: string };

/** A new session. The token's text is available only here. */
export type NewSession = { row: SessionRow; token: string };

/**
 * Maximum number of concurrent sessions per key. The limit is far above the number of people who share a key, and low
 * enough to list all sessions.
 */
const SESSIONS_MAX = 1_000;

export const NAME_LENGTH_MAX = 64;

export function isSessionName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && isPlainName(name);
}

/**
 * Signs a person in with a credential.
 * @throws ApiError unauthorized, quota_exceeded
 */
export function signIn(
  { pool, nowMs }: { pool: Pool; nowMs: () => number },
  credential: Credential,
  client: Client,
): Promise<NewSession> {
  return inTransaction(pool, async (db) => {
    const { keyId, name } = await proven(db, credential);
    const key = await lockKeyOf(db, keyId);
    if (!key) throw new ApiError('unauthorized', 'The API key was revoked or has expired.');
    await requireRoom(db, keyId);
    const token = newSessionToken();
    const { namespace } = key;
    const id = newUuid(nowMs());
    const row = await insertSession(db, {
      id,
      namespace,
      keyId,
      name,
      tokenHash: tokenHashOf(token),
    });
    const by = { namespace, actor: sessionActor(name), sessionId: id, ...client };
    const about = { name, api_key_id: fromUuid('key', keyId), scopes: row.scopes };
    await recordAudit(db, by, {
      action: 'session.created',
      target: fromUuid('ses', id),
      after: about,
      detail: { with: 'apiKey' in credential ? 'api_key' : 'sign_in_token' },
    });
    return { row, token };
  });
}

async function proven(db: Db, credential: Credential): Promise<{ keyId: string; name: string }> {
  if ('apiKey' in credential) {
    const key = await findApiKey(db, credential.apiKey);
    if (!key) throw new ApiError('unauthorized', 'The API key is unknown or was revoked.');
    return { keyId: key.id, name: credential.name };
  }
  const used = await useSignInToken(db, tokenHashOf(credential.signInToken));
  if (used) return { keyId: used.keyId, name: credential.name ?? used.name };
  const detail =
    'The link was already used or is older than a day. Run `parley start` again for a new link, or use an API key.';
  throw new ApiError('unauthorized', detail);
}

async function requireRoom(db: Db, keyId: string): Promise<void> {
  if ((await countSessions(db, keyId)) < SESSIONS_MAX) return;
  const detail = `This API key already has ${SESSIONS_MAX} sessions, the maximum. End some with DELETE /v1/sessions/{id}, or wait half an hour until unused ones end.`;
  throw new ApiError('quota_exceeded', detail);
}

/**
 * Creates the token of a sign-in link, which works once and opens a session of the given key. The session gets the
 * given name unless the sign-in request contains a name.
 */
export async function makeSignInToken(
  { pool }: { pool: Pool },
  by: { namespace: string; keyId: string; name: string },
): Promise<string> {
  const token = newSignInToken();
  await insertSignInToken(pool, { ...by, hash: tokenHashOf(token) });
  return token;
}
