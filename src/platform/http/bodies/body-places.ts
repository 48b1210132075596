import { timeoutSignal } from '../../../clock.ts';
import { ApiError } from '../../../errors.ts';
import {
  createFairQueue,
  type FairQueue,
  type FairQueueMetrics,
} from '../../controller/fair-queue.ts';
import { currentWork } from '../../observability/work.ts';

/**
 * Bounds the bodies that a process holds, from the start of reading until their JSON is parsed. Without a bound, a
 * thousand connections could hold a megabyte each. Uploads have shares of their own (in-flight.ts).
 */
export type BodyPlaces = {
  /**
   * Waits for a place for a body of the current namespace, or of the address if there is no key. Returns an idempotent
   * function that frees the place.
   * @throws ApiError unavailable
   */
  take: (address: string, bytes: number) => Promise<() => void>;
};

/** Maximum size of a body that needs no place. */
const SMALL_BYTES = 64 * 1024;
/**
 * The same without a key: twice the size of logins, tokens and carriers' forms. A stranger can hold thousands of small
 * bodies.
 */
const SMALL_KEYLESS_BYTES = 8 * 1024;
/** Shorter than the 15 s that a request has until its last byte. */
const WAIT_MS = 10_000;
const RETRY_AFTER_SEC = 5;

export function createBodyPlaces(metrics: FairQueueMetrics): BodyPlaces {
  const known = createFairQueue({
    kind: 'bodies',
    places: 16,
    share: 8,
    waitingMax: { namespace: 64, all: 256 },
    metrics,
  });
  const keyless = createFairQueue({
    kind: 'keyless_bodies',
    places: 32,
    share: 16,
    waitingMax: { namespace: 32, all: 128 },
    metrics,
  });
  return {
    take: async (address, bytes) => {
      const namespace = currentWork()?.namespace;
      if (bytes <= (namespace === undefined ? SMALL_KEYLESS_BYTES : SMALL_BYTES))
        return () => undefined;
      return namespace === undefined ? hold(keyless, address) : hold(known, namespace);
    },
  };
}

async function hold(queue: FairQueue, whose: string): Promise<() => void> {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const signal = timeoutSignal(WAIT_MS);
  const running = queue.run(
    whose,
    () => {
      begun.resolve();
      return ended.promise;
    },
    signal,
  );
  running.catch(begun.reject);
  await begun.promise.catch((cause: unknown) => {
    const detail =
      'As many large bodies are being read as this process holds at once. ' +
      `Retry in ${RETRY_AFTER_SEC} seconds, or send less than ${SMALL_BYTES / 1024} KiB.`;
    throw new ApiError('unavailable', detail, { retryAfterSec: RETRY_AFTER_SEC, cause });
  });
  return ended.resolve;
}
