/** Measures how the CPU time of a function grows with its text. */

const SMALL_CHARS = 500;
const TIMES = 8;
/** A text that is eight times as long may take three times as long per character. With quadratic time it takes eight times as long. */
const GROWTH_MAX = 3;
/** Less than this is not worth measuring, and not measured well. */
const MEASURABLE_MS = 2;
const RUNS = 9;

/** Makes a text of about so many characters. */
export type Family = (chars: number) => string;

/**
 * Returns how many times as long a function takes per character when the text is eight times as long, or undefined
 * if that is what linear time explains. Compares the shortest of several runs, so that other load does not count.
 */
export function superlinearGrowth(run: (text: string) => void, family: Family): number | undefined {
  const large = family(TIMES * SMALL_CHARS);
  const small = Array.from({ length: TIMES }, () => family(SMALL_CHARS));
  const runSmall = (): void => small.forEach((text) => run(text));
  runSmall(); // Compiles what is compiled once.
  if (ms(() => run(large)) < MEASURABLE_MS) return undefined;
  // In turns, so that a moment of other load, or of compiling, is part of both.
  const runs = Array.from({ length: RUNS }, () => [ms(() => run(large)), ms(runSmall)] as const);
  const growth =
    Math.min(...runs.map(([one]) => one)) / Math.min(...runs.map(([, eight]) => eight));
  return growth > GROWTH_MAX ? growth : undefined;
}

function ms(run: () => void): number {
  const before = performance.now();
  run();
  return performance.now() - before;
}
