import { clearTimeout, setTimeout } from '../../clock.ts';

/**
 * Calls `fire` once after `delayMs`, and returns a function that cancels the call. Modules get the timer as a
 * dependency, so that tests can control time.
 */
export type SetTimer = (fire: () => void, delayMs: number) => () => void;

// Node fires a timer with a longer delay immediately (with a warning), so a delay of a month would become a busy loop.
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Real timer. It fires after at most 24.8 days. Firing early is safe, because a reconcile may run at any time. */
export const setRealTimer: SetTimer = (fire, delayMs) => {
  const timer = setTimeout(fire, Math.min(delayMs, MAX_DELAY_MS));
  return () => clearTimeout(timer);
};
