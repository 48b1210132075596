/** Keeps the `capacity` entries that were read or written last. */
export type LruMap<V> = {
  get: (key: string) => V | undefined;
  set: (key: string, value: V) => void;
};

export function createLruMap<V>(capacity: number): LruMap<V> {
  // A Map remembers the order of insertion, so the first key is the one not touched for longest.
  const entries = new Map<string, V>();

  function set(key: string, value: V): void {
    entries.delete(key);
    entries.set(key, value);
    if (entries.size <= capacity) return;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  }

  return {
    get: (key) => {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
  };
}
