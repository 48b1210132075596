/** Calls `fire` once after `delayMs`. The returned function cancels it. It is injected, so that tests control time. */
import { clearTimeout, setTimeout } from '../../clock.ts';

export type SetTimer = (fire: () => void, delayMs: number) => () => void;

// Node fires a longer timer immediately (with a warning), so "next month" would become a hot loop.
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Real timer. A delay over 24.8 days ends there: level-based work may always run early. */
export const setRealTimer: SetTimer = (fire, delayMs) => {
  const timer = setTimeout(fire, Math.min(delayMs, MAX_DELAY_MS));
  return () => clearTimeout(timer);
};
