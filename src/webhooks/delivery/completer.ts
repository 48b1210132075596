import { setTimeout as delay } from 'node:timers/promises';
import { createBatcher } from '../../platform/controller/batcher.ts';
import { failpoint } from '../../failpoints.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { AttemptResult } from '../queue/dispatch-queue.ts';

/**
 * Records attempts in batches. The first result waits GATHER_MS for others, which delays nothing
 * that anybody waits for: the receiver has its event, and its slot is free. With the database away
 * it keeps what it has (bounded by what may be in flight, which counts what is not recorded) and
 * tries again; a result that comes too late for its lease is refused by the fence and sent again.
 */
export type Completer = {
  /** Resolves once recorded: true when it counted, false when the lease had gone to another. */
  add: (result: AttemptResult) => Promise<boolean>;
  /** Waits until everything added is recorded. */
  flush: () => Promise<void>;
};

const BATCH_MAX = 256;
/** Each batch is one commit: at 200 deliveries a second four share it. */
const GATHER_MS = 20;
const RETRY_MS = 200;

export function createCompleter(deps: {
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  /** Whether a statement failed for what is in it, so that repeating it cannot help. */
  isRefused: (error: unknown) => boolean;
  log: Logger;
}): Completer {
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
        deps.log.warn({ err: error, attempts }, 'attempts not recorded; trying again');
        await delay(RETRY_MS);
      }
    }
  }

  /** One bad result must not hold up the others. */
  async function oneByOne(results: readonly AttemptResult[], error: unknown): Promise<boolean[]> {
    if (results.length === 1) {
      deps.log.error({ err: error }, 'an attempt cannot be recorded; its lease will run out');
      return [false];
    }
    const counted: boolean[] = [];
    for (const result of results) counted.push(...(await record([result])));
    return counted;
  }

  const { add, idle } = createBatcher({ run: record, itemsMax: BATCH_MAX, gatherMs: GATHER_MS });
  return { add, flush: idle };
}
