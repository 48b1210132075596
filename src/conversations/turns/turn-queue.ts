/**
 * Runs the turns of one conversation one after the other in this process, those of others at the
 * same time. To wait is cheaper than to throw a reply away because another turn was first.
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
