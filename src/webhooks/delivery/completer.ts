import { delay, monotonicMs } from '../../clock.ts';
import { createBatcher } from '../../platform/controller/batcher.ts';
import { failpoint } from '../../failpoints.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { AttemptResult } from '../queue/dispatch-queue.ts';

/**
 * Records the results of attempts in batches. The first result of a batch waits `GATHER_MS` for further results. The
 * wait delays no delivery, because the receiver already has the event, and the slot of the attempt is already free.
 * While the database is unavailable, the completer holds the results in memory and retries. Unrecorded attempts count
 * as in flight, which bounds the memory. If the lease of a delivery ended before its result is recorded, the result is
 * rejected and the delivery is sent again.
 */
export type Completer = {
  /**
   * Resolves to true if the result was recorded and accepted. Resolves to false if another process has taken over the
   * delivery, or if the result cannot be recorded.
   */
  add: (result: AttemptResult) => Promise<boolean>;
  /**
   * Waits until all added results are recorded. Called at shutdown. While the database is unavailable, this takes at
   * most `FLUSH_MS` plus the current statement. Attempts that are still unrecorded are sent again when their leases run
   * out.
   */
  flush: () => Promise<void>;
};

const BATCH_MAX = 256;
/**
 * Time in ms for which the first result of a batch waits for further results. Each batch is one commit. At 200
 * deliveries a second, a batch has four results.
 */
const GATHER_MS = 20;
const RETRY_MS = 200;
const FLUSH_MS = 5_000;

export function createCompleter(deps: {
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  /** Returns true if the database rejected the data itself, so that retrying is pointless. */
  isRefused: (error: unknown) => boolean;
  log: Logger;
}): Completer {
  let endMs = Infinity;

  async function record(results: readonly AttemptResult[]): Promise<boolean[]> {
    for (;;) {
      try {
        await failpoint('delivery.recording');
        const counted = await deps.complete(results);
        await failpoint('delivery.recorded');
        return results.map(({ deliveryId }) => counted.has(deliveryId));
      } catch (error) {
        if (deps.isRefused(error)) return oneByOne(results, error);
        const attempts = results.length;
        if (monotonicMs() >= endMs) {
          deps.log.error(
            { err: error, attempts },
            'cannot record attempts; their leases will expire',
          );
          return results.map(() => false);
        }
        deps.log.warn({ err: error, attempts }, 'cannot record attempts; retrying');
        await delay(RETRY_MS);
      }
    }
  }

  /** Records results one by one, so that one bad result does not block the others. */
  async function oneByOne(results: readonly AttemptResult[], error: unknown): Promise<boolean[]> {
    if (results.length === 1) {
      deps.log.error({ err: error }, 'cannot record an attempt; its lease will expire');
      return [false];
    }
    const counted: boolean[] = [];
    for (const result of results) counted.push(...(await record([result])));
    return counted;
  }

  const { add, idle } = createBatcher({ run: record, itemsMax: BATCH_MAX, gatherMs: GATHER_MS });
  return {
    add,
    flush: () => {
      endMs = Math.min(endMs, monotonicMs() + FLUSH_MS);
      return idle();
    },
  };
}
