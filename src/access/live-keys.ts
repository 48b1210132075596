import { findApiKey, listLiveKeys, type ApiKey } from './api-keys.sql.ts';
import type { Authenticate } from '../platform/http/authorize.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { createEndWatch, type EndWatch } from './watch-ends.ts';

/**
 * The API keys that work, for one process (contract/api-keys.md#ending: a deleted key is refused within 100 ms, and
 * within a second when the notification is lost). Found keys are remembered, so that a busy caller
 * costs a statement each half second and not one per request; open streams are asked after together.
 */
export type LiveKeys = {
  authenticate: Authenticate;
  /** What has been opened with a key and goes on; to be held to its end. */
  watch: EndWatch['watch'];
  /** These keys (uuids; `*`: all) ended, or will: forgets them, and looks at what they opened. */
  look: (ids: readonly string[]) => void;
  stop: () => Promise<void>;
};

/** With the look at what is open (watch-ends.ts) less than a second. */
const REMEMBER_MS = 500;
const REMEMBERED_MAX = 1_000;

type Deps = {
  pool: Pool;
  /** Monotonic. */
  nowMs: () => number;
  onUsed: (keyId: string) => void;
  log: Logger;
};

export function createLiveKeys(deps: Deps): LiveKeys {
  const { authenticate, forget } = createAuthenticate(deps);
  const { watch, look, stop } = createEndWatch({
    what: 'looking whose API key ended',
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

/** Whom an API key belongs to. Wrong keys are not remembered: a new key works at once. */
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
      // Counted from before the query: a key revoked meanwhile is not remembered longer. One that
      // was to be forgotten meanwhile may have been read before it ended.
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
