import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { delay } from '../../clock.ts';
import { createSingleFlight } from './single-flight.ts';

/**
 * Does together what concurrent callers ask for one by one: while one batch runs the next gathers,
 * so batches grow with the load and an idle process waits for nothing but `gatherMs`.
 */
export type Batcher<I, O> = {
  /** Resolves with what `run` answered for the item; rejects when its batch failed. */
  add: (item: I) => Promise<O>;
  /** Waits until everything added is done. */
  idle: () => Promise<void>;
};

type Waiting<I, O> = { item: I; resolve: (answer: O) => void; reject: (error: unknown) => void };

/**
 * @param deps.run answers each item, in their order; never more than `itemsMax` at once
 * @param deps.gatherMs how long a batch that is not full waits for more; 0: for what comes in the
 * same turn of the event loop
 * @param deps.busy how long it waits after a batch of at least `from` items: where that many come
 * together, a little more time makes the next one larger, and each item cheaper
 */
export function createBatcher<I, O>(deps: {
  run: (items: readonly I[]) => Promise<readonly O[]>;
  itemsMax: number;
  gatherMs: number;
  busy?: { from: number; gatherMs: number };
}): Batcher<I, O> {
  const { itemsMax, gatherMs, busy } = deps;
  let waiting: Waiting<I, O>[] = [];
  let lastSize = 0;

  const running = createSingleFlight(async () => {
    while (waiting.length > 0) {
      if (waiting.length < itemsMax) await gather();
      const batch = waiting.slice(0, itemsMax);
      waiting = waiting.slice(batch.length);
      lastSize = batch.length;
      await settle(batch);
    }
  });

  const gather = (): Promise<unknown> => {
    const ms = busy !== undefined && lastSize >= busy.from ? busy.gatherMs : gatherMs;
    return ms > 0 ? delay(ms) : turnOfLoop();
  };

  async function settle(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const answers = await deps.run(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running.trigger();
      }),
    idle: running.idle,
  };
}
