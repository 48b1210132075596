import { findApiKey, listLiveKeys, type ApiKey } from './api-keys.sql.ts';
import type { Authenticate } from '../platform/http/authorize.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { createEndWatch, type EndWatch } from './watch-ends.ts';

/**
 * Authenticates API keys, and ends the connections of keys that have ended. A deleted key is rejected within 100 ms, or
 * within a second if the notification between processes is lost (contract/api-keys.md#ending). Each process caches
 * keys, so that a busy caller costs one SQL statement per half second instead of one per request. One statement checks
 * the keys of all open streams.
 */
export type LiveKeys = {
  authenticate: Authenticate;
  /** Watches a connection that was opened with a key, so that the connection ends when the key ends. */
  watch: EndWatch['watch'];
  /**
   * Call this when keys have ended or are about to end. Removes these keys from the cache, and rechecks the streams
   * that were opened with them. The ids are UUIDs; `*` means all keys.
   */
  look: (ids: readonly string[]) => void;
  stop: () => Promise<void>;
};

/**
 * Time in ms for which a key stays cached. This time and the check interval in watch-ends.ts together are less than one
 * second, the time within which the contract promises to reject a deleted key.
 */
const REMEMBER_MS = 500;
const REMEMBERED_MAX = 1_000;

type Deps = {
  pool: Pool;
  /** Monotonic clock in ms. */
  nowMs: () => number;
  onUsed: (keyId: string) => void;
  log: Logger;
};

export function createLiveKeys(deps: Deps): LiveKeys {
  const { authenticate, forget } = createAuthenticate(deps);
  const { watch, look, stop } = createEndWatch({
    what: 'closing streams of expired API keys',
    listLive: (ids) => listLiveKeys(deps.pool, ids),
    log: deps.log,
  });
  return {
    authenticate,
    watch,
    look: (ids) => {
      forget(ids);
      look(ids);
    },
    stop,
  };
}

/**
 * Creates the function that authenticates API keys, and the cache that this function uses. Unknown keys are not cached,
 * so that a new key works immediately.
 */
function createAuthenticate({ pool, nowMs, onUsed }: Deps): {
  authenticate: Authenticate;
  forget: (ids: readonly string[]) => void;
} {
  const known = new Map<string, { key: ApiKey; untilMs: number }>();
  let timesForgotten = 0;
  return {
    authenticate: async (text) => {
      const askedMs = nowMs();
      const remembered = known.get(text);
      if (remembered && remembered.untilMs > askedMs) {
        onUsed(remembered.key.id);
        return remembered.key;
      }
      known.delete(text);
      const before = timesForgotten;
      const found = await findApiKey(pool, text);
      if (!found) return undefined;
      const { endsInMs, ...key } = found;
      if (known.size >= REMEMBERED_MAX) known.clear();
      // The cache time starts before the query. A key that is revoked during the query therefore stays cached for at
      // most `REMEMBER_MS` after the revocation. If `forget` ran during the query, the key may have ended after it was
      // read, so the key is not cached.
      const untilMs = askedMs + Math.min(REMEMBER_MS, endsInMs ?? Infinity);
      if (before === timesForgotten) known.set(text, { key, untilMs });
      onUsed(key.id);
      return key;
    },
    forget: (ids) => {
      timesForgotten += 1;
      for (const [text, { key }] of known) {
        if (ids.includes('*') || ids.includes(key.id)) known.delete(text);
      }
    },
  };
}
