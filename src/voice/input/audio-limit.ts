/**
 * Limits incoming audio to `SPEED_MAX` times real time. Nobody speaks faster than real time, so audio beyond the limit
 * is dropped.
 */
export type AudioLimit = {
  /** Returns how many milliseconds of audio are allowed now. */
  allowedMs: () => number;
  /** Subtracts accepted audio from the allowed amount. */
  spend: (ms: number) => void;
  /** Records that audio was dropped. */
  drop: () => void;
};

/**
 * `SPEED_MAX` is the maximum rate of incoming audio, as a multiple of real time. `HELD_BACK_MS` is the length of audio
 * that may exceed this rate, because a network may delay audio and then deliver it at once.
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
