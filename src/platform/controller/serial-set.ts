import { createReadyQueue, type Entry } from './ready-queue.ts';

/** The keys that wait and the keys in work, so that no key is ever in work twice. */
export type SerialSet<K> = {
  /** True when the key was not waiting before; merges with the waiting entry otherwise. */
  put: (entry: Entry<K>) => boolean;
  /** Moves the first ready key into work. */
  shift: (nowMs: number) => Entry<K> | undefined;
  /** Ends the work on a key and answers when it began; ready again when it was put meanwhile. */
  finish: (id: string) => number | undefined;
  /** Ready, or in work and put again. */
  waits: (id: string) => boolean;
  hasReady: () => boolean;
  dropWaiting: () => void;
  /** How many keys wait, in either way. */
  depth: () => number;
  /** When the work on each key in work began. */
  startsMs: () => number[];
};

/** client-go's `dirty` and `processing` sets; its `dirty` is `ready` and `again` together. */
export function createSerialSet<K>(): SerialSet<K> {
  const ready = createReadyQueue<K>();
  // Put while in work: kept apart from `ready`, or another worker would take it.
  const again = new Map<string, Entry<K>>();
  const startedAtMs = new Map<string, number>();

  const putAgain = (entry: Entry<K>): boolean => {
    const old = again.get(entry.id);
    const priority = Math.max(entry.priority, old?.priority ?? entry.priority);
    const addedAtMs = old?.addedAtMs ?? entry.addedAtMs;
    again.set(entry.id, { ...entry, priority, addedAtMs });
    return old === undefined;
  };

  return {
    put: (entry) => {
      if (startedAtMs.has(entry.id)) return putAgain(entry);
      const isNew = !ready.has(entry.id);
      ready.put(entry);
      return isNew;
    },
    shift: (nowMs) => {
      const entry = ready.shift();
      if (entry) startedAtMs.set(entry.id, nowMs);
      return entry;
    },
    finish: (id) => {
      const startMs = startedAtMs.get(id);
      startedAtMs.delete(id);
      const entry = again.get(id);
      if (entry) ready.put(entry);
      again.delete(id);
      return startMs;
    },
    waits: (id) => ready.has(id) || again.has(id),
    hasReady: () => ready.size() > 0,
    dropWaiting: () => {
      ready.clear();
      again.clear();
    },
    depth: () => ready.size() + again.size,
    startsMs: () => [...startedAtMs.values()],
  };
}
