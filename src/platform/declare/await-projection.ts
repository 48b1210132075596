import { projectedItem, type Projected } from '../postgres/projected.ts';
import { clearTimeout, setTimeout } from '../../clock.ts';

/**
 * Waits briefly for a write to appear in the projected row (contract/requests.md#writes). The API writes declarations
 * (Kubernetes objects), but it reads the rows that the operator derives from them (their projections). Without this
 * wait, callers could not read their own writes.
 */
export type AwaitProjection = <T>(
  written: Projected,
  read: () => Promise<T>,
  shows: (value: T) => boolean,
) => Promise<{ value: T; shown: boolean }>;

const WAIT_MAX_MS = 2_000;
/**
 * Polling interval in ms. A NOTIFY usually ends the wait sooner. The interval limits the delay if a notification is
 * lost.
 */
const POLL_MS = 100;

/**
 * Creates the wait function. `onProjected` registers `wake`, which is called with the items of each notification on
 * `CHANNELS.projected`, and returns a function that unregisters it. Only a notification of the written row ends the
 * wait, so that concurrent writes do not read each other's rows. `onShown` is called as soon as the row shows the
 * write, before the wait ends. `onShown` must remove the declaration from the cache. Usually a notification triggers
 * that removal, but the notification may arrive only after the caller's next request.
 */
export function createAwaitProjection(deps: {
  onProjected: (wake: (items: readonly string[]) => void) => () => void;
  onShown?: (written: Projected) => void;
  nowMs: () => number;
  /** Maximum wait in ms, 2 s by default. */
  waitMs?: number | undefined;
}): AwaitProjection {
  return async (written, read, shows) => {
    const endMs = deps.nowMs() + (deps.waitMs ?? WAIT_MAX_MS);
    let wake = (): void => undefined;
    let woken = false;
    const item = projectedItem(written);
    const unsubscribe = deps.onProjected((items) => {
      if (!items.includes(item) && !items.includes('*')) return;
      woken = true;
      wake();
    });
    try {
      for (;;) {
        woken = false;
        const value = await read();
        if (shows(value)) {
          deps.onShown?.(written);
          return { value, shown: true };
        }
        const leftMs = endMs - deps.nowMs();
        if (leftMs <= 0) return { value, shown: false };
        if (woken) continue; // A wake-up during the read causes another read immediately.
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
