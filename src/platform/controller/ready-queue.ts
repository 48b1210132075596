/**
 * Key that is waiting for a worker. `addedAtMs` is the time when the key was first added, for the queue duration
 * metric.
 */
export type Entry<K> = { id: string; key: K; priority: number; addedAtMs: number };

export type ReadyQueue<K> = {
  has: (id: string) => boolean;
  /**
   * Adds the entry. If its key is already waiting, merges the two entries. The merged entry has the newer key, the
   * higher priority and the older `addedAtMs`.
   */
  put: (entry: Entry<K>) => void;
  /** Removes and returns the entry with the highest priority; among equal priorities, the oldest. */
  shift: () => Entry<K> | undefined;
  clear: () => void;
  size: () => number;
};

/**
 * Creates a queue of keys that are ready for a worker. It holds each key at most once. It uses one `Map` per priority
 * instead of a heap, because a program has only two or three priorities. A `Map` keeps its insertion order, so it also
 * gives first-in-first-out order and removal by key.
 */
export function createReadyQueue<K>(): ReadyQueue<K> {
  const priorityOf = new Map<string, number>();
  const lanes = new Map<number, Map<string, Entry<K>>>();
  // All priorities used so far, highest first. The list changes only when a new priority is used, because the `Map` of
  // a priority (its lane) is never removed.
  const priorities: number[] = [];

  const laneOf = (priority: number): Map<string, Entry<K>> => {
    const lane = lanes.get(priority) ?? new Map<string, Entry<K>>();
    if (!lanes.has(priority)) {
      lanes.set(priority, lane);
      priorities.push(priority);
      priorities.sort((a, b) => b - a);
    }
    return lane;
  };

  const take = (id: string): Entry<K> | undefined => {
    const priority = priorityOf.get(id);
    if (priority === undefined) return undefined;
    const entry = laneOf(priority).get(id);
    laneOf(priority).delete(id);
    priorityOf.delete(id);
    return entry;
  };

  const insert = (entry: Entry<K>): void => {
    laneOf(entry.priority).set(entry.id, entry);
    priorityOf.set(entry.id, entry.priority);
  };

  return {
    has: (id) => priorityOf.has(id),
    put: (entry) => {
      const present = priorityOf.get(entry.id);
      if (present === undefined) return insert(entry);
      // Moves the entry only to a higher priority. A repeated add must not send a key to the end of its own lane.
      if (entry.priority > present) {
        const old = take(entry.id);
        return insert({ ...entry, addedAtMs: old?.addedAtMs ?? entry.addedAtMs });
      }
      const old = laneOf(present).get(entry.id);
      if (old) old.key = entry.key;
    },
    shift: () => {
      for (const priority of priorities) {
        const first = laneOf(priority).keys().next();
        if (!first.done) return take(first.value);
      }
      return undefined;
    },
    clear: () => {
      for (const lane of lanes.values()) lane.clear();
      priorityOf.clear();
    },
    size: () => priorityOf.size,
  };
}
