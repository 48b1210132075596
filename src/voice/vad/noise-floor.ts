/** How loud it is where nobody speaks. It follows what becomes quieter at once, and what grows, slowly. */
export type NoiseFloor = {
  /** dB. */
  level: () => number;
  note: (db: number) => void;
};

/** A quiet line has less; below that nobody is heard. */
const LOWEST_DB = -65;
/** A second: speech has a gap or a soft sound in it, noise has none. */
const WINDOWS = 31;
/** What does not change is no speech: a fan, a tone. dB between its loudest and softest window. */
const STEADY_DB = 4;
/** dB for each window, while nothing is steady: 3 dB a second. */
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
      // Nobody is heard yet: the first sound may be the room, but not loud speech.
      else level += isFirst ? Math.min(bounded, -50) - level : Math.min(RISE_DB, bounded - level);
      isFirst = false;
    },
  };
}
