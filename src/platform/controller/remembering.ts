import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';

/**
 * Cache for rows that other processes change. A change is visible as soon as `forget` reports it, or after a second if
 * that notification is lost.
 */
export type Remembering<T extends object> = {
  /**
   * Returns the value of a cache key (`place`), and calls `read` if it is not cached. Concurrent callers share one
   * read. If a newly read value equals the previous one, the previous object is returned. Errors of `read` are not
   * cached.
   */
  find: (place: string, read: () => Promise<T>) => Promise<T>;
  /**
   * Reports a change. Values for which `isMeant` returns true are read again, and results of pending reads are not
   * cached.
   */
  forget: (isMeant: (value: T) => boolean) => void;
};

/** Age in ms from which a value is refreshed in the background, while callers still get the cached one. */
const FRESH_MS = 500;
/** Age in ms from which callers wait for a new read. */
const REMEMBER_MS = 1_000;

/** Cached value. If `isOver` is set, callers no longer get the value; it is only compared with the next value read. */
type Entry<T> = { value: T; askedMs: number; isOver: boolean };

/**
 * Creates a cache. `nowMs` is a monotonic clock. `max` is the maximum number of entries; the least recently used are
 * dropped.
 */
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
    // Callers share a pending read, except one that began before the latest change: it may return the old state.
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
      // An error of this background read is ignored. If it persists, callers get it once they have to wait for a read.
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
