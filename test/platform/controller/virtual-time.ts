import type { SetTimer } from '../../../src/platform/controller/timer.ts';

/** Creates time that only `advance` moves. Timers fire in the order of their due time. */
export function createVirtualTime(): {
  nowMs: () => number;
  setTimer: SetTimer;
  /** Fires all timers that become due, including those set meanwhile. */
  advance: (byMs: number) => void;
  /** Moves to the next timer. Returns false if there is none. */
  advanceToNext: () => boolean;
} {
  let nowMs = 0;
  const timers = new Set<{ dueAtMs: number; fire: () => void }>();
  const next = () => [...timers].sort((a, b) => a.dueAtMs - b.dueAtMs)[0];
  const advanceToNext = (untilMs = Infinity): boolean => {
    const timer = next();
    if (!timer || timer.dueAtMs > untilMs) return false;
    timers.delete(timer);
    nowMs = Math.max(nowMs, timer.dueAtMs);
    timer.fire();
    return true;
  };
  return {
    nowMs: () => nowMs,
    setTimer: (fire, delayMs) => {
      const timer = { dueAtMs: nowMs + delayMs, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (byMs) => {
      const untilMs = nowMs + byMs;
      while (advanceToNext(untilMs));
      nowMs = untilMs;
    },
    advanceToNext: () => advanceToNext(),
  };
}
