/**
 * Estimates the level of the background noise. The estimate follows a falling level quickly and a rising one slowly.
 */
export type NoiseFloor = {
  /** Returns the noise level in dB. */
  level: () => number;
  note: (db: number) => void;
};

/**
 * Minimum of the estimate in dB. A quiet line has less noise, but a lower estimate would serve no purpose, because
 * speech below this level is inaudible.
 */
const LOWEST_DB = -65;
/**
 * Number of windows that are compared to recognize steady noise. Together they last one second. A second of speech
 * contains a gap or a soft sound, whereas a second of steady noise does not.
 */
const WINDOWS = 31;
/** Maximum difference in dB between the loudest and the softest window of steady noise, such as a fan or a tone. */
const STEADY_DB = 4;
/** Rise of the estimate in dB per window while the audio is not steady: 3 dB a second. */
const RISE_DB = 0.1;
const FALL = 0.3;

export function createNoiseFloor(): NoiseFloor {
  let level = LOWEST_DB;
  let isFirst = true;
  const recent: number[] = [];
  return {
    level: () => level,
    note: (db) => {
      recent.push(db);
      if (recent.length > WINDOWS) recent.shift();
      const bounded = Math.max(LOWEST_DB, db);
      const [softest, loudest] = [Math.min(...recent), Math.max(...recent)];
      const isSteady = recent.length === WINDOWS && loudest - softest < STEADY_DB;
      if (isSteady) level = Math.max(LOWEST_DB, softest);
      else if (bounded < level) level += (bounded - level) * FALL;
      // The first window sets the level, but to at most -50 dB, because the audio may begin with loud speech.
      else level += isFirst ? Math.min(bounded, -50) - level : Math.min(RISE_DB, bounded - level);
      isFirst = false;
    },
  };
}
