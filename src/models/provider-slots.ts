/** Slots that limit the concurrent requests of this process to each provider. */
export type ProviderSlots = {
  /**
   * Waits for a slot, first come, first served. Resolves to a function that releases the slot. Resolves to `undefined`
   * immediately if the queue is full. The queue holds as many callers as the provider has slots, but at least eight.
   * Rejects with the signal's reason if the signal aborts.
   */
  take: (key: string, max: number, signal: AbortSignal) => Promise<(() => void) | undefined>;
};

/** Minimum capacity of the queue, for providers with fewer slots than this. */
const MIN_WAITING = 8;

type Line = { taken: number; waiting: Set<() => void> };

export function createProviderSlots(): ProviderSlots {
  const lines = new Map<string, Line>();

  const leave = (key: string, line: Line): void => {
    const [next] = line.waiting;
    if (next !== undefined) return next();
    line.taken -= 1;
    if (line.taken === 0) lines.delete(key);
  };
  const once = (act: () => void): (() => void) => {
    let isDone = false;
    return () => {
      if (!isDone) act();
      isDone = true;
    };
  };

  return {
    take: async (key, max, signal) => {
      signal.throwIfAborted();
      const line = lines.get(key) ?? { taken: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.taken < max) {
        line.taken += 1;
        return once(() => leave(key, line));
      }
      if (line.waiting.size >= Math.max(MIN_WAITING, max)) return undefined;
      // The slot is passed directly to the next caller, so `taken` stays unchanged.
      await new Promise<void>((resolve, reject) => {
        const over = (): void => {
          line.waiting.delete(enter);
          signal.removeEventListener('abort', abort);
        };
        const enter = (): void => {
          over();
          resolve();
        };
        const abort = (): void => {
          over();
          reject(signal.reason);
        };
        line.waiting.add(enter);
        signal.addEventListener('abort', abort, { once: true });
      });
      return once(() => leave(key, line));
    },
  };
}
