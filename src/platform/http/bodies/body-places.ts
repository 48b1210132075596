import { timeoutSignal } from '../../../clock.ts';
import { ApiError } from '../../../errors.ts';
import {
  createFairQueue,
  type FairQueue,
  type FairQueueMetrics,
} from '../../controller/fair-queue.ts';
import { currentWork } from '../../observability/work.ts';

/**
 * Limits the number of request bodies that a process keeps in memory. A body counts from the start of reading until its
 * JSON has been parsed. Without a limit, a thousand connections could occupy a megabyte each. Uploads have their own
 * limits (in-flight.ts).
 */
export type BodyPlaces = {
  /**
   * Waits for a slot for a body. Slots are shared fairly between namespaces, or between addresses if the request is
   * unauthenticated. Returns an idempotent function that frees the slot.
   * @throws ApiError unavailable
   */
  take: (address: string, bytes: number) => Promise<() => void>;
};

/** Maximum size in bytes of a body that needs no slot, for authenticated requests. */
const SMALL_BYTES = 64 * 1024;
/**
 * Maximum size in bytes of a body that needs no slot, for unauthenticated requests. Logins, token requests and the
 * forms that phone carriers send are at most half as large. This maximum is lower than `SMALL_BYTES`, because
 * unauthenticated clients can send thousands of small bodies at once.
 */
const SMALL_KEYLESS_BYTES = 8 * 1024;
/** Maximum time in ms to wait for a slot. It is shorter than the 15 s within which a request must arrive completely. */
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
      const smallBytes = namespace === undefined ? SMALL_KEYLESS_BYTES : SMALL_BYTES;
      if (bytes <= smallBytes) return () => undefined;
      return namespace === undefined
        ? hold(keyless, address, smallBytes)
        : hold(known, namespace, smallBytes);
    },
  };
}

async function hold(queue: FairQueue, whose: string, smallBytes: number): Promise<() => void> {
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
      'Too many large request bodies are in progress. ' +
      `Retry in ${RETRY_AFTER_SEC} seconds, or send at most ${smallBytes / 1024} KiB.`;
    throw new ApiError('unavailable', detail, { retryAfterSec: RETRY_AFTER_SEC, cause });
  });
  return ended.resolve;
}
