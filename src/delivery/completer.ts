import { createSingleFlight } from '../controller/single-flight.ts';
import type { Logger } from '../observability/logger.ts';
import type { AttemptResult } from '../store/delivery-queue.ts';

/**
 * Records attempts in batches: while one statement runs, results gather for the next, so the
 * batch grows with the load and an idle engine waits for nothing. With the database away it
 * keeps what it has (bounded by the slots, which are given back only after recording) and tries
 * again; a result that comes too late for its lease is refused by the fence and sent again.
 */
export type Completer = {
  /** Resolves once recorded: true when it counted, false when the lease had gone to another. */
  add: (result: AttemptResult) => Promise<boolean>;
  /** Waits until everything added is recorded. */
  flush: () => Promise<void>;
};

const BATCH_MAX = 256;
const RETRY_MS = 200;

export function createCompleter(deps: {
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  /** Whether a statement failed for what is in it, so that repeating it cannot help. */
  isRefused: (error: unknown) => boolean;
  log: Logger;
}): Completer {
  type Waiting = { result: AttemptResult; resolve: (counted: boolean) => void };
  let waiting: Waiting[] = [];
  /** After a refusal, so many go one by one: one bad result must not hold up the others. */
  let alone = 0;

  async function record(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, alone > 0 ? 1 : BATCH_MAX);
      waiting = waiting.slice(batch.length);
      alone = Math.max(0, alone - 1);
      try {
        const counted = await deps.complete(batch.map(({ result }) => result));
        for (const { result, resolve } of batch) resolve(counted.has(result.deliveryId));
      } catch (error) {
        await onFailure(error, batch);
      }
    }
  }

  async function onFailure(error: unknown, batch: Waiting[]): Promise<void> {
    const attempts = batch.length;
    if (deps.isRefused(error) && attempts === 1) {
      deps.log.error({ err: error }, 'an attempt cannot be recorded; its lease will run out');
      for (const { resolve } of batch) resolve(false);
      return;
    }
    waiting = [...batch, ...waiting];
    if (deps.isRefused(error)) {
      alone = attempts;
      return;
    }
    deps.log.warn({ err: error, attempts }, 'attempts not recorded; trying again');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }

  const recording = createSingleFlight(record);

  return {
    add: (result) =>
      new Promise((resolve) => {
        waiting.push({ result, resolve });
        recording.trigger();
      }),
    flush: recording.idle,
  };
}
