import { clearTimeout, setTimeout } from '../clock.ts';
import { createPeriodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';

/** Watches open connections that must end together with an API key or a session. */
export type EndWatch = {
  /**
   * Watches the key or session with this id until `release` is called. `ended` aborts soon after the key or session has
   * ended.
   */
  watch: (id: string) => { ended: AbortSignal; release: () => void };
  /**
   * Rechecks the keys or sessions with these ids (`*` means all). Call this when they have ended or are about to end.
   */
  look: (ids: readonly string[]) => void;
  stop: () => Promise<void>;
};

/**
 * Check interval in ms. A stream may be opened with a key that has ended but is still cached. To end such a stream
 * within a second, the cache time, this interval and the duration of a statement must add up to less than a second.
 */
const LOOK_MS = 400;

/**
 * Creates a watch. The watch checks all watched ids together, with one statement per `LOOK_MS`. It runs no statement
 * while nothing is watched.
 * @param listLive returns those of the given ids that are live, each with its remaining time (null if it does not
 * expire)
 */
export function createEndWatch(deps: {
  what: string;
  listLive: (ids: readonly string[]) => Promise<{ id: string; endsInMs: number | null }[]>;
  log: Logger;
}): EndWatch {
  const watched = new Map<string, { ended: AbortController; watchers: number }>();
  let soonest: NodeJS.Timeout | undefined;
  let isLooking = false;
  const looking = createPeriodic({
    what: deps.what,
    everyMs: LOOK_MS,
    log: deps.log,
    run: async () => {
      clearTimeout(soonest);
      const asked = [...watched.keys()];
      if (asked.length === 0) return false;
      const live = new Map((await deps.listLive(asked)).map(({ id, endsInMs }) => [id, endsInMs]));
      for (const id of asked) if (!live.has(id)) watched.get(id)?.ended.abort();
      const endsInMs = Math.min(...[...live.values()].map((ms) => ms ?? Infinity));
      if (endsInMs < LOOK_MS) soonest = setTimeout(looking.wake, Math.ceil(endsInMs)).unref();
      return false;
    },
  });
  return {
    watch: (id) => {
      const entry = watched.get(id) ?? { ended: new AbortController(), watchers: 0 };
      watched.set(id, entry);
      entry.watchers += 1;
      // Starts the periodic check with the first watch. A separate check for each new stream would cost a statement per
      // request.
      if (!isLooking) looking.start();
      isLooking = true;
      return {
        ended: entry.ended.signal,
        release: () => {
          entry.watchers -= 1;
          if (entry.watchers === 0) watched.delete(id);
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
