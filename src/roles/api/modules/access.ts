import { apiKeyRoutes } from '../../../access/api-keys.routes.ts';
import { forgetOldSessions } from '../../../access/end-session.ts';
import { createKeyUse } from '../../../access/key-use.ts';
import { createLiveKeys, type LiveKeys } from '../../../access/live-keys.ts';
import { createLiveSessions } from '../../../access/live-sessions.ts';
import { meRoute } from '../../../access/me.routes.ts';
import { sessionRoutes } from '../../../access/sessions.routes.ts';
import { createPeriodic } from '../../../platform/controller/periodic.ts';
import type { AuthenticateSession, WatchCaller } from '../../../platform/http/authorize.ts';
import { createRateLimits, type RateLimits } from '../../../platform/http/rate-limit.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Module } from './module.ts';

export type Access = Module &
  Pick<LiveKeys, 'authenticate'> & {
    authenticateSession: AuthenticateSession;
    watchCaller: WatchCaller;
    rateLimits: RateLimits;
    /** Rate limits of feedback links, which have no API key. */
    linkLimits: RateLimits;
    stop: () => Promise<void>;
  };

/** Maximum number of requests per minute with one feedback link. A human user makes fewer. */
const LINK_REQUESTS_MAX = 60;

/** Creates the authentication by API keys and sessions, and the watches that report when a key or a session ends. */
export function createAccess(
  infrastructure: Infrastructure,
  /** `rateLimit`: requests per minute for one API key; 0 means no limit. */
  { rateLimit }: { rateLimit: number },
): Access {
  const { pool, limits, log, notifier, nowMs, clockMs, publicUrl, version } = infrastructure;
  const keyUse = createKeyUse({ pool, nowMs: clockMs, onPending: () => keyUseWriter.wake() });
  const keyUseWriter = createPeriodic({
    what: 'recording the last use of API keys',
    everyMs: 10_000,
    run: keyUse.write,
    log,
  });
  const oldSessions = createPeriodic({
    what: 'removing old sessions',
    everyMs: 600_000,
    run: () => forgetOldSessions({ pool }),
    log,
  });
  const look = (ids: readonly string[]): void => {
    keys.look(ids);
    sessions.look(ids);
  };
  const onEnded = (id: string): void => {
    look([id]); // This process checks the session now; other processes check it when they get the notification.
    notifier.notify(CHANNELS.keys, [id]);
  };
  const onUsed = keyUse.note;
  const keys = createLiveKeys({ pool, nowMs: clockMs, onUsed, log });
  const sessions = createLiveSessions({ pool, nowMs: clockMs, onUsed, onEnded, log });
  const rateLimits = createRateLimits(rateLimit);
  return {
    routes: [
      ...apiKeyRoutes({ pool, limits, onKeyEnded: onEnded }),
      ...sessionRoutes({ pool, nowMs, publicUrl, rateLimits, onEnded }),
      meRoute({ pool, version }),
    ],
    jobs: [keyUseWriter, oldSessions],
    listeners: { [CHANNELS.keys]: look },
    authenticate: keys.authenticate,
    authenticateSession: sessions.authenticate,
    watchCaller: ({ keyId, sessionId }) =>
      sessionId === null ? keys.watch(keyId) : sessions.watch(sessionId),
    rateLimits,
    linkLimits: createRateLimits(LINK_REQUESTS_MAX),
    stop: async () => {
      await Promise.all([keys.stop(), sessions.stop()]);
    },
  };
}
