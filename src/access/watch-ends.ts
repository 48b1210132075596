import { clearTimeout, setTimeout } from '../clock.ts';
import { createPeriodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';

/** What is open and must end with something: an API key, a session. */
export type EndWatch = {
  /** `ended` aborts soon after the thing of this id has ended. */
  watch: (id: string) => { ended: AbortSignal; release: () => void };
  /** These ended, or will; `*`: all may have. */
  look: (ids: readonly string[]) => void;
  stop: () => Promise<void>;
};

/** With what is remembered of keys, and a statement, a second: a stream may be opened with a remembered one. */
const LOOK_MS = 400;

/**
 * One statement each LOOK_MS for all that is watched, none while nothing is.
 * @param listLive of these ids those that live, and for how long at most; null: with no end
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
      // Once: a look for each that comes would be a statement per request.
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
