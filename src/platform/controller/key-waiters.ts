import { clearTimeout, setTimeout } from '../../clock.ts';

/**
 * Callers that are waiting for a key to change. They wake up when `wake` is called with the key, or after a timeout.
 */
export type KeyWaiters = {
  /** Wakes all callers that are waiting for these keys; `*` wakes every caller. Returns immediately. */
  wake: (keys: readonly string[]) => void;
  /**
   * Resolves when `wake` is next called for this key, when `maxMs` have passed or when the signal aborts, whichever
   * comes first.
   */
  untilWoken: (key: string, maxMs: number, signal?: AbortSignal) => Promise<void>;
};

export function createKeyWaiters(): KeyWaiters {
  const waiting = new Map<string, Set<() => void>>();
  return {
    wake: (keys) => {
      const woken = keys.includes('*') ? [...waiting.keys()] : keys;
      for (const key of woken) waiting.get(key)?.forEach((wake) => wake());
    },
    untilWoken: async (key, maxMs, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wakes = waiting.get(key) ?? new Set();
      waiting.set(key, wakes.add(resolve));
      const timer = setTimeout(resolve, maxMs);
      const onAbort = (): void => resolve();
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) resolve();
      await promise;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      wakes.delete(resolve);
      if (wakes.size === 0 && waiting.get(key) === wakes) waiting.delete(key);
    },
  };
}
