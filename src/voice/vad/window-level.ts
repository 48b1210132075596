/** What a window of sound is like. */
export type WindowLevel = {
  /** dB below the loudest there is, without hum; of silence -96. */
  db: number;
  /** How much it repeats itself as a voice does, from 0 to 1. It is computed when it is asked for: it costs most. */
  voicing: () => number;
};

const FLOOR_DB = -96;

/** The pitch of voices, Hz: of a low man to a child. */
const PITCH_MIN = 70;
const PITCH_MAX = 400;
/** Enough for the pitch: what is above it is let go. */
const PITCH_RATE = 4_000;
/** Hum of mains and rumble of hands are below. */
const HIGH_PASS_HZ = 100;

/** Levels of one stream, window after window. `sampleRate`: a multiple of 4,000. */
export function createWindowLevels(sampleRate: number): (window: Int16Array) => WindowLevel {
  const step = sampleRate / PITCH_RATE;
  const keep = 1 - (2 * Math.PI * HIGH_PASS_HZ) / sampleRate;
  let before = 0;
  let passed = 0;
  return (window) => {
    const low = new Float64Array(Math.floor(window.length / step));
    let energy = 0;
    for (let at = 0; at < window.length; at += 1) {
      const sample = window[at]! / 32_768;
      passed = keep * (passed + sample - before);
      before = sample;
      energy += passed * passed;
      const place = Math.floor(at / step);
      if (place < low.length) low[place]! += passed / step;
    }
    const mean = energy / Math.max(1, window.length);
    // A full sine is at 0 dB.
    const db = Math.max(FLOOR_DB, 10 * Math.log10(2 * mean + 1e-12));
    return { db, voicing: () => voicingOf(low) };
  };
}

/**
 * The highest normalised autocorrelation at the distance of a pitch, behind its first dip: what is slow,
 * such as rumble, is like itself at short distances and has none.
 */
function voicingOf(low: Float64Array): number {
  const farthest = Math.min(Math.floor(PITCH_RATE / PITCH_MIN), Math.floor(low.length / 2));
  let hasDipped = false;
  let highest = 0;
  for (let lag = 2; lag <= farthest; lag += 1) {
    let [product, here, there] = [0, 1e-9, 1e-9];
    for (let at = lag; at < low.length; at += 1) {
      product += low[at]! * low[at - lag]!;
      here += low[at]! * low[at]!;
      there += low[at - lag]! * low[at - lag]!;
    }
    const likeness = product / Math.sqrt(here * there);
    hasDipped ||= likeness < DIP;
    if (hasDipped && lag >= PITCH_RATE / PITCH_MAX) highest = Math.max(highest, likeness);
  }
  return highest;
}

const DIP = 0.5;
