import { createLiveKeys, type LiveKeys } from '../../access/live-keys.ts';
import { createLiveSessions } from '../../access/live-sessions.ts';
import type { AuthenticateSession, WatchCaller } from '../../platform/http/authorize.ts';
import { createRateLimits, type RateLimits } from '../../platform/http/rate-limit.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';

/** Authentication by keys and sessions, and the watch for their end. */
export type Doors = Pick<LiveKeys, 'authenticate' | 'look' | 'stop'> & {
  authenticateSession: AuthenticateSession;
  watchCaller: WatchCaller;
  rateLimits: RateLimits;
  /** Limits of requests per feedback link, independent of any key. */
  linkLimits: RateLimits;
  /** Notifies all processes that a key or a session (uuid) ended or got an end. */
  onEnded: (id: string) => void;
  onKeyEnded: (id: string) => void;
};

/** Requests per minute: more than a person makes. */
const LINK_REQUESTS_MAX = 60;

export function openDoors(deps: {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  /** Monotonic clock. */
  nowMs: () => number;
  onUsed: (keyId: string) => void;
  /** Requests per minute for one API key; 0 means no limit. */
  rateLimit: number;
  log: Logger;
}): Doors {
  const keys = createLiveKeys(deps);
  const look = (ids: readonly string[]): void => {
    keys.look(ids);
    sessions.look(ids);
  };
  const onEnded = (id: string): void => {
    look([id]); // This process need not wait for its own notification.
    deps.notifier.notify(CHANNELS.keys, [id]);
  };
  const sessions = createLiveSessions({ ...deps, onEnded });
  return {
    authenticate: keys.authenticate,
    authenticateSession: sessions.authenticate,
    watchCaller: ({ keyId, sessionId }) =>
      sessionId === null ? keys.watch(keyId) : sessions.watch(sessionId),
    look,
    onEnded,
    onKeyEnded: onEnded,
    rateLimits: createRateLimits(deps.rateLimit),
    linkLimits: createRateLimits(LINK_REQUESTS_MAX),
    stop: async () => {
      await Promise.all([keys.stop(), sessions.stop()]);
    },
  };
}
