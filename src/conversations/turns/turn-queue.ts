/**
 * Runs the turns of one conversation one after the other in this process, those of others at the
 * same time. To wait is cheaper than to throw a reply away because another turn was first.
 *
 * `overtaken` is aborted as soon as a newer turn stands behind: a reply that takes its time is cut
 * short then, one that is made at once need not look.
 */
export type InTurn = <T>(key: string, work: (overtaken: AbortSignal) => Promise<T>) => Promise<T>;

export function createTurnQueue(): InTurn {
  const last = new Map<string, { done: Promise<unknown>; overtaken: AbortController }>();
  return async (key, work) => {
    const before = last.get(key);
    before?.overtaken.abort();
    const overtaken = new AbortController();
    const run = (): ReturnType<typeof work> => work(overtaken.signal);
    const done = (before?.done ?? Promise.resolve()).then(run, run);
    last.set(key, { done, overtaken });
    try {
      return await done;
    } finally {
      if (last.get(key)?.done === done) last.delete(key);
    }
  };
}
