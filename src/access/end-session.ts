import { recordAudit, type AuditedBy } from '../audit/audit-log.sql.ts';
import { ApiError, found } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import {
  requireScope,
  sessionActor,
  type Caller,
  type Client,
} from '../platform/http/authorize.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { deleteOldSessions, endSession, readSession, type SessionRow } from './sessions.sql.ts';
import { deleteOldSignInTokens } from './sign-in-tokens.sql.ts';

/**
 * Dependencies of the functions that end sessions early (contract/sessions.md#ending). These functions record each
 * ended session in the audit log.
 */

export type SessionDeps = {
  pool: Pool;
  /** Called after the commit with the id of the session or key that ended. */
  onEnded: (id: string) => void;
};

type Session = Pick<SessionRow, 'id' | 'namespace' | 'keyId' | 'name'>;

/**
 * Ends a session. Callers may always end their own session; ending any other session requires the `keys` scope.
 * @throws ApiError missing_scope, not_found
 */
export async function signOut(
  { pool, onEnded }: SessionDeps,
  caller: Caller,
  id: string,
): Promise<void> {
  requireOwn(caller, id);
  const { namespace } = caller;
  await inTransaction(pool, async (db) => {
    const session = found(await readSession(db, { namespace, id }), 'session');
    if (!(await endSession(db, session)))
      throw new ApiError('not_found', 'There is no such session.');
    await recordEnd(db, caller, { session, reason: 'signed_out' });
  });
  onEnded(id);
}

/**
 * Requires the `keys` scope unless the session is the caller's own.
 * @throws ApiError missing_scope
 */
export function requireOwn(caller: Caller, id: string): void {
  if (caller.sessionId !== id) requireScope(caller, 'keys', 'the session is not your own');
}

/**
 * Ends a session because a replaced token was used after its overlap with the new token was over. Two parties probably
 * hold tokens of the session, and nothing shows which of them signed in. Both therefore lose the session.
 */
export async function endStolenSession(
  { pool, onEnded }: SessionDeps,
  session: Session,
  client: Client,
): Promise<void> {
  const { namespace, id: sessionId } = session;
  const by = { namespace, actor: sessionActor(session.name), sessionId, ...client };
  await inTransaction(pool, async (db) => {
    if (!(await endSession(db, session))) return;
    await recordEnd(db, by, { session, reason: 'token_reused' });
  });
  onEnded(sessionId);
}

function recordEnd(
  db: Db,
  by: AuditedBy,
  { session, reason }: { session: Session; reason: 'signed_out' | 'token_reused' },
): Promise<void> {
  const { id, name, keyId } = session;
  return recordAudit(db, by, {
    action: 'session.ended',
    target: fromUuid('ses', id),
    before: { name },
    detail: { reason, api_key_id: fromUuid('key', keyId) },
  });
}

/** Deletes all expired sign-in tokens and up to `BATCH` old sessions. Returns true if more old sessions may remain. */
export async function forgetOldSessions({ pool }: { pool: Pool }): Promise<boolean> {
  await deleteOldSignInTokens(pool);
  return (await deleteOldSessions(pool, BATCH)) === BATCH;
}

const BATCH = 1_000;
