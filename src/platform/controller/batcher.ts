import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { delay } from '../../clock.ts';
import { currentWork } from '../observability/work.ts';
import { createLine } from './line.ts';
import { createSingleFlight } from './single-flight.ts';

/**
 * Groups items from concurrent callers into batches. While one batch runs, new items collect for the next one, so
 * batches grow with the load. If no batch is running, a new item waits only `gatherMs` for others. If more items wait
 * than fit into a batch, the namespaces of their callers take turns.
 */
export type Batcher<I, O> = {
  /** Resolves with the result of `run` for this item. Rejects if its batch failed. */
  add: (item: I) => Promise<O>;
  /** Resolves when all added items are done. */
  idle: () => Promise<void>;
};

type Waiting<I, O> = { item: I; resolve: (answer: O) => void; reject: (error: unknown) => void };

/**
 * Creates a batcher.
 * @param deps.run processes a batch of at most `itemsMax` items, and returns one result per item, in order
 * @param deps.gatherMs how long a partial batch waits for more items; 0 collects only the items that are added in the
 * same turn of the event loop
 * @param deps.busy a longer `gatherMs` to use after a batch of at least `from` items. Under load, a slightly longer
 * wait makes the next batch larger and each item cheaper
 */
export function createBatcher<I, O>(deps: {
  run: (items: readonly I[]) => Promise<readonly O[]>;
  itemsMax: number;
  gatherMs: number;
  busy?: { from: number; gatherMs: number };
}): Batcher<I, O> {
  const { itemsMax, gatherMs, busy } = deps;
  const waiting = createLine<string | undefined, Waiting<I, O>>();
  let lastSize = 0;
  // A batch has items of several callers, so it runs in the context (trace, work) in which the batcher was created. The
  // context of its first caller would be wrong for the other items.
  const inOwnContext = AsyncLocalStorage.snapshot();

  const running = createSingleFlight(async () => {
    while (waiting.size() > 0) {
      if (waiting.size() < itemsMax) await gather();
      const batch = takeBatch();
      lastSize = batch.length;
      await settle(batch);
    }
  });

  const gather = (): Promise<unknown> => {
    const ms = busy !== undefined && lastSize >= busy.from ? busy.gatherMs : gatherMs;
    return ms > 0 ? delay(ms) : turnOfLoop();
  };

  function takeBatch(): Waiting<I, O>[] {
    const batch: Waiting<I, O>[] = [];
    while (batch.length < itemsMax) {
      const next = waiting.next();
      if (!next) break;
      batch.push(next.one);
    }
    return batch;
  }

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
        waiting.join(currentWork()?.namespace, { item, resolve, reject });
        inOwnContext(running.trigger);
      }),
    idle: running.idle,
  };
}
