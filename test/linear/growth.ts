/** Measures how the CPU time of a function grows with its text. */

const SMALL_CHARS = 500;
const TIMES = 8;
/** A text that is eight times as long may take three times as long per character. With quadratic time it takes eight times as long. */
const GROWTH_MAX = 3;
/** Less than this is not worth measuring, and not measured well. */
const MEASURABLE_MS = 2;
const ROUNDS_MAX = 9;

/** Makes a text of about so many characters. */
export type Family = (chars: number) => string;

/**
 * Returns how many times as long a function takes per character when the text is eight times as long, or undefined
 * if that is what linear time explains. Other load makes a run longer, never shorter: so the
 * shortest runs are compared, and more are made while they differ too much.
 */
export function superlinearGrowth(run: (text: string) => void, family: Family): number | undefined {
  const large = family(TIMES * SMALL_CHARS);
  const small = Array.from({ length: TIMES }, () => family(SMALL_CHARS));
  const runSmall = (): void => small.forEach((text) => run(text));
  runSmall(); // Compiles what is compiled once.
  const runLarge = (): void => run(large);
  let long = ms(runLarge);
  let short = Infinity;
  for (let round = 0; round < ROUNDS_MAX && long >= MEASURABLE_MS; round += 1) {
    short = Math.min(short, ms(runSmall));
    if (long <= GROWTH_MAX * short) return undefined;
    long = Math.min(long, ms(runLarge));
  }
  return long < MEASURABLE_MS ? undefined : long / short;
}

function ms(run: () => void): number {
  const before = performance.now();
  run();
  return performance.now() - before;
}
