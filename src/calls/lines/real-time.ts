/** Sound can be heard as fast as it is said, and no faster: what comes beyond is dropped. */
export type RealTime = {
  /** ms of sound that may be heard by now. */
  allowedMs: () => number;
  /** That is heard. */
  spend: (ms: number) => void;
  /** Nothing of it is heard. */
  drop: () => void;
};

/** Of real time; and what a network may have held back. */
const SPEED_MAX = 2;
const HELD_BACK_MS = 3_000;

/** `nowMs`: a monotonic clock. `onFlood`: told once, that more comes than anybody can say. */
export function createRealTime({
  nowMs,
  onFlood,
}: {
  nowMs: () => number;
  onFlood: () => void;
}): RealTime {
  let creditMs = HELD_BACK_MS;
  let countedMs = nowMs();
  let hasFlooded = false;
  return {
    allowedMs: () => {
      const now = nowMs();
      creditMs = Math.min(HELD_BACK_MS, creditMs + (now - countedMs) * SPEED_MAX);
      countedMs = now;
      return creditMs;
    },
    spend: (ms) => {
      creditMs -= ms;
    },
    drop: () => {
      if (!hasFlooded) onFlood();
      hasFlooded = true;
    },
  };
}
