import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';

/**
 * What one process remembers of rows that others change: a change is seen as soon as it is told of
 * (`forget`), and within a second when that notification is lost.
 */
export type Remembering<T extends object> = {
  /**
   * Of a place, by `read` where it is not remembered; several who ask at once share one. A value that is
   * equal to the one before is the same object. What `read` throws is not remembered.
   */
  find: (place: string, read: () => Promise<T>) => Promise<T>;
  /** Something changed: what may be of it is read again, and no answer that is under way is kept. */
  forget: (isMeant: (value: T) => boolean) => void;
};

/** From then on it is read again beside whoever asks, who does not wait. */
const FRESH_MS = 500;
/** From then on whoever asks waits for it. */
const REMEMBER_MS = 1_000;

/** `isOver`: kept only to be compared with. */
type Entry<T> = { value: T; askedMs: number; isOver: boolean };

/** `nowMs` is monotonic; `max`: of places, those not asked for longest are dropped. */
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
    // One that began before a change may have read what was before it.
    if (underWay?.times === times) return underWay.answer;
    const askedMs = nowMs(); // From before the query: what changes meanwhile is not kept longer.
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
      // A failure shows when somebody has to wait for it.
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
