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
 * if that is what linear time explains. Other load makes a run longer, never shorter: so the shortest runs are compared,
 * and more are made while they differ too much. What still differs is measured by the CPU time of this thread.
 */
export async function superlinearGrowth(run: Run, family: Family): Promise<number | undefined> {
  const large = family(TIMES * SMALL_CHARS);
  const small = Array.from({ length: TIMES }, () => family(SMALL_CHARS));
  const runSmall = async (): Promise<void> => {
    for (const text of small) await run(text);
  };
  await runSmall(); // Compiles what is compiled once.
  const runLarge = async (): Promise<unknown> => run(large);
  let long = await wallMs(runLarge);
  let short = Infinity;
  for (let round = 0; round < ROUNDS_MAX && long >= MEASURABLE_MS; round += 1) {
    short = Math.min(short, await wallMs(runSmall));
    if (long <= GROWTH_MAX * short) return undefined;
    long = Math.min(long, await wallMs(runLarge));
  }
  if (long < MEASURABLE_MS) return undefined;
  const growth = (await cpuMs(runLarge)) / (await cpuMs(runSmall));
  return growth > GROWTH_MAX ? growth : undefined;
}

async function wallMs(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

/** The system counts the CPU time of a thread in steps of some milliseconds. */
const COUNTED_MS = 40;

/** Returns the CPU time of one run, from as many as it takes to count it. */
async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs += 1) {
    await run();
    const { user, system } = process.threadCpuUsage(before);
    const usedMs = (user + system) / 1_000;
    if (usedMs >= COUNTED_MS) return usedMs / runs;
  }
}
