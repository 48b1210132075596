/** Limits sound to real time: nobody speaks faster, so sound beyond that is dropped. */
export type AudioLimit = {
  /** Returns the sound in ms that the limit allows now. */
  allowedMs: () => number;
  /** Counts sound that was accepted. */
  spend: (ms: number) => void;
  /** Notes that sound was dropped. */
  drop: () => void;
};

/** Multiple of real time that is allowed. `HELD_BACK_MS` is the sound that a network may deliver late, all together. */
const SPEED_MAX = 2;
const HELD_BACK_MS = 3_000;

/** Creates the limit. `nowMs` is a monotonic clock. `onFlood` is called once, when the first sound is dropped. */
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
