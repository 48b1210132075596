import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';

/**
 * Caches rows in one process that others change. A change is seen as soon as `forget` reports it, and within a second
 * if that notification is lost.
 */
export type Remembering<T extends object> = {
  /**
   * Returns the value of a place, and calls `read` if it is not cached. Concurrent callers share one read. A value
   * equal to the previous one keeps its identity. Errors of `read` are not cached.
   */
  find: (place: string, read: () => Promise<T>) => Promise<T>;
  /** Reports a change: matching values are read again, and results of pending reads are not cached. */
  forget: (isMeant: (value: T) => boolean) => void;
};

/** Age from which a value is refreshed in the background, without a wait for the caller. */
const FRESH_MS = 500;
/** Age from which callers wait for a new read. */
const REMEMBER_MS = 1_000;

/** An entry with `isOver` is kept only for comparison. */
type Entry<T> = { value: T; askedMs: number; isOver: boolean };

/** Creates a cache. `nowMs` is monotonic. `max` limits the places; the least recently used ones are dropped. */
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
    // A read that began before a change may have returned the earlier state.
    if (underWay?.times === times) return underWay.answer;
    const askedMs = nowMs(); // Taken before the query, so that a change during the query does not extend the lifetime.
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
      // A failure shows when a caller has to wait.
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
