/** Of each provider with a limit, the requests at once of this process. */
export type ProviderSlots = {
  /**
   * Waits for a place, in order; the result gives it back. undefined: as many wait already as may
   * be answered at once. Rejects with the signal's reason.
   */
  take: (key: string, max: number, signal: AbortSignal) => Promise<(() => void) | undefined>;
};

/** A line no shorter than this, for providers that answer one or two at once. */
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
      // Who leaves hands its place on: `taken` stays as it is.
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
