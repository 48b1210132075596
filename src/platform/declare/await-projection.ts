/**
 * Waits a little until the projection shows a write (contract/requests.md#writes). The API writes declarations and
 * reads what the operator has projected from them, so without the wait callers would not read their own writes.
 */
import { clearTimeout, setTimeout } from '../../clock.ts';

export type AwaitProjection = <T>(
  read: () => Promise<T>,
  shows: (value: T) => boolean,
) => Promise<{ value: T; shown: boolean }>;

const WAIT_MAX_MS = 2_000;
/** NOTIFY usually wakes it sooner. This interval bounds the cost of a lost notification. */
const POLL_MS = 100;

/** Creates the wait. `onProjected` calls `wake` on every projection, until its returned function is called. */
export function createAwaitProjection(deps: {
  onProjected: (wake: () => void) => () => void;
  nowMs: () => number;
  /** Default: 2 s. */
  waitMs?: number | undefined;
}): AwaitProjection {
  return async (read, shows) => {
    const endMs = deps.nowMs() + (deps.waitMs ?? WAIT_MAX_MS);
    let wake = (): void => undefined;
    let woken = false;
    const unsubscribe = deps.onProjected(() => {
      woken = true;
      wake();
    });
    try {
      for (;;) {
        woken = false;
        const value = await read();
        if (shows(value)) return { value, shown: true };
        const leftMs = endMs - deps.nowMs();
        if (leftMs <= 0) return { value, shown: false };
        if (woken) continue; // It was woken during the read.
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(POLL_MS, leftMs));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      unsubscribe();
    }
  };
}
