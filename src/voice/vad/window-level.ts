/** Level and voicing of a window of audio. */
export type WindowLevel = {
  /** Level in dB below full scale, without hum; -96 for silence. */
  db: number;
  /**
   * Returns how periodic the window is, from 0 to 1. Voices are periodic. The value is computed on demand, because it
   * is the most expensive part.
   */
  voicing: () => number;
};

const FLOOR_DB = -96;

/** Pitch range of voices in Hz, from low male voices to children's voices. */
const PITCH_MIN = 70;
const PITCH_MAX = 400;
/** Sample rate in Hz at which the pitch is computed. This rate is enough for the pitch range of voices. */
const PITCH_RATE = 4_000;
/** Cut-off of the high-pass filter that removes mains hum and handling noise. */
const HIGH_PASS_HZ = 100;

/** Creates a function that measures the windows of one stream, in order. `sampleRate` must be a multiple of 4,000. */
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
    // The factor 2 gives a full-scale sine a level of 0 dB.
    const db = Math.max(FLOOR_DB, 10 * Math.log10(2 * mean + 1e-12));
    return { db, voicing: () => voicingOf(low) };
  };
}

/**
 * Returns the highest normalized autocorrelation at the lags of possible pitches. Ignores lags before the first dip of
 * the correlation, because low-frequency sounds such as rumble also correlate at short lags, but without a dip.
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
