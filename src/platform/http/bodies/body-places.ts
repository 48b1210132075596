import { timeoutSignal } from '../../../clock.ts';
import { ApiError } from '../../../errors.ts';
import {
  createFairQueue,
  type FairQueue,
  type FairQueueMetrics,
} from '../../controller/fair-queue.ts';
import { currentWork } from '../../observability/work.ts';

/**
 * Bounds the bodies that a process holds, from before they are read until their JSON is. Without a bound, a thousand
 * connections could hold a megabyte each. Uploads have shares of their own (in-flight.ts).
 */
export type BodyPlaces = {
  /**
   * Waits for a place for a body of the namespace that is served now, or of an address without a key. Returns what frees
   * the place; call it as often as you like.
   * @throws ApiError unavailable
   */
  take: (address: string, bytes: number) => Promise<() => void>;
};

/** Bodies of at most so many bytes need no place. */
const SMALL_BYTES = 64 * 1024;
/** Twice the size of logins, tokens and forms of carriers. A stranger can hold thousands of them. */
const SMALL_KEYLESS_BYTES = 8 * 1024;
/** A request has 15 s until its last byte. */
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
