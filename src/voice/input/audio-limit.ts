/**
 * Limits incoming audio to `SPEED_MAX` times real time. Nobody speaks faster than in real time, so audio beyond the
 * limit is dropped.
 */
export type AudioLimit = {
  /** Returns how many milliseconds of audio the limit allows now. */
  allowedMs: () => number;
  /** Counts accepted audio. */
  spend: (ms: number) => void;
  /** Notes that audio was dropped. */
  drop: () => void;
};

/**
 * Maximum speed of incoming audio as a multiple of real time (`SPEED_MAX`), and the amount of audio that a network may
 * delay and then deliver at once (`HELD_BACK_MS`).
 */
const SPEED_MAX = 2;
const HELD_BACK_MS = 3_000;

/**
 * Creates the limit. `nowMs` is a monotonic clock. `onFlood` is called once, when audio is dropped for the first time.
 */
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
