/** Calls `fire` once after `delayMs`; the answer cancels it. Injected, so that tests own time. */
import { clearTimeout, setTimeout } from '../../clock.ts';

export type SetTimer = (fire: () => void, delayMs: number) => () => void;

// Node fires a longer timer at once (with a warning): "next month" would become a hot loop.
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Real time. A delay past 24.8 days ends there: level-based work may always run early. */
export const setRealTimer: SetTimer = (fire, delayMs) => {
  const timer = setTimeout(fire, Math.min(delayMs, MAX_DELAY_MS));
  return () => clearTimeout(timer);
};
