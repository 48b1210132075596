import { setTimeout as delay } from 'node:timers/promises';

/** What came over a line; `isSound`: not of silence alone. Times are performance.now(). */
export type Came = { at: number; event: string; isSound: boolean };

/** Somebody on a telephone, whatever carries the sound. */
export type Line = {
  came: Came[];
  /** Asks, in real time; resolves when it is said, with when its last sound went. */
  ask: () => Promise<number>;
  /** Says something, in real time, into an answer. */
  interrupt: () => Promise<unknown>;
  /** When a provider was asked for the words that ended at `endMs`. */
  askedAfter: (endMs: number) => Promise<number>;
};

export type Seen = {
  /** ms: end of speech to the request for its words, with the silence that ends it; from there to the first sound. */
  detected: number[];
  answered: number[];
  /** ms: from the beginning of what interrupts to the order to be silent. */
  cleared: number[];
};

export const nothingSeen = (): Seen => ({ answered: [], detected: [], cleared: [] });

/**
 * Asks, hears a second of the answer, speaks into it, and hears the next one to its end.
 *
 * `onAnswer`: what came of the answer until it was interrupted.
 */
export async function askAndInterrupt(
  line: Line,
  seen: Seen,
  onAnswer: (came: Came[]) => void = () => undefined,
): Promise<void> {
  const from = line.came.length;
  const endMs = await line.ask();
  const [askedMs, firstMs] = await Promise.all([
    line.askedAfter(endMs),
    nextOf(line, 'media', from),
  ]);
  seen.detected.push(askedMs - endMs);
  seen.answered.push(firstMs - askedMs);
  // Sound is sent ahead at first; what follows is at its pace.
  await delay(1_000);
  onAnswer(line.came.slice(from));
  const startMs = performance.now();
  const beforeClear = line.came.length;
  void line.interrupt();
  const clearMs = await nextOf(line, 'clear', beforeClear);
  seen.cleared.push(clearMs - startMs);
  await nextOf(line, 'media', line.came.length);
  await untilSilent(line);
}

/** Nothing was sent for as long as what was sent ahead is played. */
export async function untilSilent(line: Pick<Line, 'came'>): Promise<void> {
  await nextOf(line, 'media', 0);
  const lastMs = (): number =>
    line.came.findLast(({ event, isSound }) => event === 'media' && isSound)?.at ?? 0;
  while (performance.now() - lastMs() < 300) await delay(20);
}

/** `media`: with sound. */
async function nextOf({ came }: Pick<Line, 'came'>, event: string, from: number): Promise<number> {
  const givenUpMs = performance.now() + 20_000;
  for (let at = from; ;) {
    const one = came[at];
    if (one === undefined) {
      if (performance.now() > givenUpMs) throw new Error(`no ${event} within 20 s`);
      await delay(1);
    } else if (one.event === event && (event !== 'media' || one.isSound)) return one.at;
    else at += 1;
  }
}
