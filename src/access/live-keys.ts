import { findApiKey, listLiveKeys, type ApiKey } from './api-keys.sql.ts';
import type { Authenticate, WatchKey } from '../platform/http/authorize.ts';
import { createPeriodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/**
 * Which API keys work, for one process (contract §4: a key that ended is refused within 100 ms, and
 * within a second when the notification is lost). Found keys are remembered, so that a busy caller
 * costs a statement each half second and not one per request; open streams are asked after together.
 */
export type LiveKeys = {
  authenticate: Authenticate;
  /** What has been opened with a key and goes on; to be held to its end. */
  watch: WatchKey;
  /** These keys (uuids; `*`: all) ended, or will: forgets them, and looks at what they opened. */
  look: (ids: readonly string[]) => void;
  stop: () => Promise<void>;
};

/** With LOOK_MS and the statement below a second: a stream may be opened with a remembered key. */
const REMEMBER_MS = 500;
const LOOK_MS = 400;
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
  const { watch, look, stop } = createKeyWatch(deps);
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

/** One statement each LOOK_MS for all that is watched, none while nothing is. */
function createKeyWatch({ pool, log }: Deps): Omit<LiveKeys, 'authenticate'> {
  const watched = new Map<string, { ended: AbortController; watchers: number }>();
  let soonest: NodeJS.Timeout | undefined;
  let isLooking = false;
  const looking = createPeriodic({
    what: 'looking whose API key ended',
    everyMs: LOOK_MS,
    log,
    run: async () => {
      clearTimeout(soonest);
      const asked = [...watched.keys()];
      if (asked.length === 0) return false;
      const live = new Map(
        (await listLiveKeys(pool, asked)).map(({ id, endsInMs }) => [id, endsInMs]),
      );
      for (const id of asked) if (!live.has(id)) watched.get(id)?.ended.abort();
      const endsInMs = Math.min(...[...live.values()].map((ms) => ms ?? Infinity));
      if (endsInMs < LOOK_MS) soonest = setTimeout(looking.wake, Math.ceil(endsInMs)).unref();
      return false;
    },
  });
  return {
    watch: (keyId) => {
      const entry = watched.get(keyId) ?? { ended: new AbortController(), watchers: 0 };
      watched.set(keyId, entry);
      entry.watchers += 1;
      // Once: a look for each that comes would be a statement per request.
      if (!isLooking) looking.start();
      isLooking = true;
      return {
        ended: entry.ended.signal,
        release: () => {
          entry.watchers -= 1;
          if (entry.watchers === 0) watched.delete(keyId);
        },
      };
    },
    look: (ids) => {
      if (watched.size === 0) return;
      if (ids.includes('*') || ids.some((id) => watched.has(id))) looking.wake();
    },
    stop: async () => {
      await looking.stop();
      clearTimeout(soonest);
    },
  };
}
