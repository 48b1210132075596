/**
 * Limits incoming audio to `SPEED_MAX` times real time. Nobody speaks faster than real time, so audio beyond the limit
 * is dropped.
 */
export type AudioLimit = {
  /** Returns how many milliseconds of audio are allowed now. */
  allowedMs: () => number;
  /** Counts accepted audio. */
  spend: (ms: number) => void;
  /** Records that audio was dropped. */
  drop: () => void;
};

/**
 * Maximum rate of incoming audio as a multiple of real time (`SPEED_MAX`), and the amount of audio that a network may
 * delay and then deliver at once (`HELD_BACK_MS`).
 */
const SPEED_MAX = 2;
const HELD_BACK_MS = 3_000;

/** Creates the limit. `nowMs` is a monotonic clock. Calls `onFlood` once, when audio is dropped for the first time. */
export function createAudioLimit({
  nowMs,
  onFlood,
}: {
  nowMs: () => number;
  onFlood: () => void;
}): AudioLimit {
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
