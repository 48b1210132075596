/**
 * Puts those who want the same thing in line within this process; others pass. A wait for the
 * line is cheaper than a reply that is thrown away because somebody else was first.
 */
export function createTurnQueue(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const done = (before ?? Promise.resolve()).then(work, work);
    last.set(key, done);
    try {
      return await done;
    } finally {
      if (last.get(key) === done) last.delete(key);
    }
  };
}
