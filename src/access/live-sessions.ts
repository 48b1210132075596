import type { AuthenticateSession, SignedIn } from '../platform/http/authorize.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { endStolenSession, type SessionDeps } from './end-session.ts';
import { isSessionToken, newSessionToken, tokenHashOf } from './session-token.ts';
import {
  findSession,
  insertNextToken,
  listLiveSessions,
  noteSessionUse,
  noteTokenSeen,
  type FoundSession,
} from './sessions.sql.ts';
import { createEndWatch, type EndWatch } from './watch-ends.ts';

/**
 * Authenticates sessions, and ends the connections of sessions that have ended. As with API keys (live-keys.ts), an
 * ended session is rejected within a second, and a busy session costs one SQL statement per half second.
 */
export type LiveSessions = {
  authenticate: AuthenticateSession;
  watch: EndWatch['watch'];
  /**
   * Call this when sessions or keys have ended or are about to end. Rechecks the sessions with these ids, and the
   * sessions of the keys with these ids. The ids are UUIDs; `*` means all.
   */
  look: (ids: readonly string[]) => void;
  stop: () => Promise<void>;
};

const REMEMBER_MS = 500;
const REMEMBERED_MAX = 1_000;
/**
 * Minimum interval in ms between two writes of the time at which a session was last used. It is much shorter than the
 * idle timeout, so that a session in use never times out.
 */
const NOTE_USE_MS = 30_000;

type Deps = SessionDeps & {
  pool: Pool;
  /** Monotonic clock in ms. */
  nowMs: () => number;
  onUsed: (keyId: string) => void;
  log: Logger;
};

export function createLiveSessions(deps: Deps): LiveSessions {
  const { pool, nowMs, log } = deps;
  const { authenticate, forget } = createAuthenticate(deps);
  let notedMs = nowMs();
  const { watch, look, stop } = createEndWatch({
    what: 'closing streams of ended sessions',
    listLive: async (ids) => {
      const live = await listLiveSessions(pool, ids);
      if (nowMs() - notedMs > NOTE_USE_MS) {
        notedMs = nowMs();
        await noteSessionUse(pool, ids); // Keeps a session alive while it has an open stream.
      }
      return live;
    },
    log,
  });
  return {
    authenticate,
    watch,
    look: (ids) => {
      forget(ids);
      look(['*']); // Rechecks all sessions, because only the database knows which sessions belong to a key that ended.
    },
    stop,
  };
}

function createAuthenticate(deps: Deps): {
  authenticate: AuthenticateSession;
  forget: (ids: readonly string[]) => void;
} {
  const { pool, nowMs, onUsed } = deps;
  const known = new Map<string, { session: SignedIn; untilMs: number }>();
  let timesForgotten = 0;
  return {
    authenticate: async (token, client) => {
      const askedMs = nowMs();
      const remembered = known.get(token);
      if (remembered && remembered.untilMs > askedMs) {
        onUsed(remembered.session.keyId);
        return remembered.session;
      }
      known.delete(token);
      if (!isSessionToken(token)) return undefined;
      const before = timesForgotten;
      const found = await findSession(pool, tokenHashOf(token));
      if (!found) return undefined;
      if (found.isStale) {
        await endStolenSession(deps, found, client);
        return undefined;
      }
      const { id, namespace, keyId, name, scopes, endsInMs } = found;
      const session = { id, namespace, keyId, name, scopes, next: undefined };
      if (known.size >= REMEMBERED_MAX) known.clear();
      const untilMs = askedMs + Math.min(REMEMBER_MS, endsInMs);
      if (before === timesForgotten) known.set(token, { session, untilMs });
      onUsed(keyId);
      return { ...session, next: await used(deps, found, token) };
    },
    forget: (ids) => {
      timesForgotten += 1;
      for (const [token, { session }] of known) {
        const isMeant = ids.includes(session.id) || ids.includes(session.keyId);
        if (ids.includes('*') || isMeant) known.delete(token);
      }
    },
  };
}

/** Records the use of a session in the database. If the token is due for replacement, returns the new token. */
async function used(
  { pool }: Pick<Deps, 'pool'>,
  { id, unseenMs, isNew, isOld }: FoundSession,
  token: string,
): Promise<string | undefined> {
  if (unseenMs > NOTE_USE_MS) await noteSessionUse(pool, [id]);
  if (isNew) await noteTokenSeen(pool, tokenHashOf(token));
  if (!isOld) return undefined;
  const next = newSessionToken();
  const isOurs = await insertNextToken(pool, { sessionId: id, tokenHash: tokenHashOf(next) });
  return isOurs ? next : undefined;
}
