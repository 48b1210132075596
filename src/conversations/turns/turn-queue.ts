/**
 * Runs the turns of one conversation in this process one after the other, and those of different conversations
 * concurrently. Waiting is cheaper than discarding a reply because another turn came first.
 *
 * `overtaken` aborts as soon as a newer turn is queued. Slow replies then stop early; immediate replies can ignore it.
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
