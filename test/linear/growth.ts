/** Measures how the CPU time of a function grows with its text. */

const SMALL_CHARS = 500;
const TIMES = 8;
/** A text that is eight times as long may take three times as long per character. With quadratic time it takes eight times as long. */
const GROWTH_MAX = 3;
/** Less than this is not worth measuring, and not measured well. */
const MEASURABLE_MS = 2;
const ROUNDS_MAX = 9;

/** A function under test. Its promise is awaited if it returns one. */
export type Run = (text: string) => unknown;
/** Makes a text of about so many characters. */
export type Family = (chars: number) => string;

/**
 * Returns how many times as long a function takes per character when the text is eight times as long, or undefined
 * if that is what linear time explains. Counts the CPU time of this thread, and compares the shortest of several
 * runs, because other load makes a run longer and never shorter.
 */
export async function superlinearGrowth(run: Run, family: Family): Promise<number | undefined> {
  const large = family(TIMES * SMALL_CHARS);
  const small = Array.from({ length: TIMES }, () => family(SMALL_CHARS));
  const runSmall = async (): Promise<void> => {
    for (const text of small) await run(text);
  };
  await runSmall(); // Compiles what is compiled once.
  const runLarge = (): unknown => run(large);
  let long = await cpuMs(runLarge);
  let short = Infinity;
  for (let round = 0; round < ROUNDS_MAX && long >= MEASURABLE_MS; round += 1) {
    short = Math.min(short, await cpuMs(runSmall));
    if (long <= GROWTH_MAX * short) return undefined;
    long = Math.min(long, await cpuMs(runLarge));
  }
  return long < MEASURABLE_MS ? undefined : long / short;
}

async function cpuMs(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
