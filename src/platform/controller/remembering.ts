import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';

/**
 * Cache for rows that other processes may change. Callers see a change once `forget` has been called, which happens
 * when a notification reports the change. If the notification is lost, callers see the change after at most one second.
 */
export type Remembering<T extends object> = {
  /**
   * Returns the value cached under the key `place`. If there is none, calls `read` and caches its result. Concurrent
   * callers share one read. If a newly read value equals the previous one, the previous object is returned. Errors of
   * `read` are not cached.
   */
  find: (place: string, read: () => Promise<T>) => Promise<T>;
  /**
   * Invalidates the cached values for which `isMeant` returns true. Also prevents the results of all reads in progress
   * from being cached; the callers of these reads still get them.
   */
  forget: (isMeant: (value: T) => boolean) => void;
};

/**
 * Age in ms at which a cached value is refreshed in the background. Until then, and during the refresh, callers get the
 * cached value.
 */
const FRESH_MS = 500;
/** Age in ms at which a cached value expires. Callers then wait for a new read. */
const REMEMBER_MS = 1_000;

/** Cached value. If `isOver` is set, the value is invalid: it is kept only to be compared with the next value read. */
type Entry<T> = { value: T; askedMs: number; isOver: boolean };

/** Creates a cache of at most `max` entries. It evicts the least recently used ones. `nowMs` is a monotonic clock. */
export function createRemembering<T extends object>(deps: {
  max: number;
  nowMs: () => number;
}): Remembering<T> {
  const { max, nowMs } = deps;
  const known = new LRUCache<string, Entry<T>>({ max });
  const asking = new Map<string, { times: number; answer: Promise<T> }>();
  let timesChanged = 0;

  const ask = (place: string, read: () => Promise<T>): Promise<T> => {
    const times = timesChanged;
    const underWay = asking.get(place);
    // Callers share a read in progress, unless it began before the latest change and so may return the old state.
    if (underWay?.times === times) return underWay.answer;
    const askedMs = nowMs(); // Measured before the read, so that the entry's age includes the duration of the read.
    const answer = read()
      .then((found) => {
        const before = known.get(place)?.value;
        const value = before && isDeepStrictEqual(before, found) ? before : found;
        if (times === timesChanged) known.set(place, { value, askedMs, isOver: false });
        return value;
      })
      .finally(() => {
        if (asking.get(place)?.answer === answer) asking.delete(place);
      });
    asking.set(place, { times, answer });
    return answer;
  };

  return {
    find: async (place, read) => {
      const entry = known.get(place);
      const ageMs = entry && !entry.isOver ? nowMs() - entry.askedMs : Infinity;
      if (!entry || ageMs >= REMEMBER_MS) return ask(place, read);
      // Errors of this background read are ignored. If reading keeps failing, callers get the error once the value has
      // expired.
      if (ageMs >= FRESH_MS) ask(place, read).catch(() => undefined);
      return entry.value;
    },
    forget: (isMeant) => {
      timesChanged += 1;
      for (const entry of known.values()) {
        if (isMeant(entry.value)) entry.isOver = true;
      }
    },
  };
}
