import { createDelayedAdds } from './delayed-adds.ts';
import { createSerialQueue, type SerialQueueMetrics, type WorkItem } from './serial-queue.ts';
import { setRealTimer, type SetTimer } from './timer.ts';

/**
 * A work queue for reconcilers, with the semantics of client-go's:
 * - a key waits at most once, however often it is added;
 * - two workers never process the same key at once; a key that is added while a worker processes it runs again
 * afterwards;
 * - so at least one run of a key always begins after its last add.
 * A delayed add merges with an earlier delayed add of the key, or with an immediate one ("earliest wins", as in
 * controller-runtime's priority queue). client-go keeps both, and so runs a key once more than needed. Merging loses
 * nothing: the reconciler runs earlier, and that run requests another one if needed.
 */
export type WorkQueue<K> = {
  /** Makes the key ready now. Ignored after `shutDown`, like all adds. */
  add: (key: K, options?: AddOptions) => void;
  /**
   * Makes the key ready after `delayMs`, or immediately if the delay is not positive. The metrics count each call as a
   * retry.
   */
  addAfter: (key: K, delayMs: number, options?: AddOptions) => void;
  /**
   * Makes the key ready after its back-off of base·2^n, where n is the number of earlier `addRateLimited` calls since
   * the last `forget`.
   */
  addRateLimited: (key: K, options?: AddOptions) => void;
  /** Resets the key's back-off. Call it after a success, or if the key will not be retried. */
  forget: (key: K) => void;
  /** Returns the number of `addRateLimited` calls since the last `forget`. */
  retriesOf: (key: K) => number;
  /**
   * Resolves with the next key, which the worker must release with `done`. Resolves with undefined once the queue is
   * shut down and empty.
   */
  get: () => Promise<WorkItem<K> | undefined>;
  done: (key: K) => void;
  /**
   * Returns the number of keys that are waiting for a worker, including keys that will run again after their current
   * run.
   */
  depth: () => number;
  /**
   * Ignores further adds and cancels the delayed ones. Workers process all waiting keys and then get undefined. With
   * `drop`, waiting keys are discarded, and workers only finish the keys that they already have. Resolves when no key
   * is waiting or being processed.
   */
  shutDown: (options?: { drop?: boolean }) => Promise<void>;
};

/**
 * Priority of a key. Waiting keys of a higher priority always run first, so a constant stream of changes makes keys of
 * a lower priority wait forever. That is acceptable for a resync, because a live change reconciles the object anyway,
 * but not for most other uses.
 */
export type AddOptions = { priority?: number };

export const LIVE_PRIORITY = 0;
/** Priority of the objects listed at startup. It is low, so that live changes are processed first. */
export const RESYNC_PRIORITY = -100;

export type WorkQueueMetrics = SerialQueueMetrics & {
  /** Increments retries_total, which counts every delayed add, whether for a back-off or for a requeue. */
  retried: () => void;
};

export type WorkQueueDeps<K> = {
  /** Returns the identity of a key. Two keys with the same identity are the same key. */
  keyOf: (key: K) => string;
  /**
   * Clock in ms. Only differences between its values are used, so a monotonic clock such as `monotonicMs` is the best
   * choice.
   */
  nowMs: () => number;
  setTimer?: SetTimer;
  metrics?: WorkQueueMetrics;
  backOff?: { baseMs: number; maxMs: number };
};

// The maximum is shorter than client-go's 1000 s, so that a person who has fixed a problem sees the result within a
// minute.
const DEFAULT_BACK_OFF = { baseMs: 5, maxMs: 60_000 };

export function createWorkQueue<K>(deps: WorkQueueDeps<K>): WorkQueue<K> {
  const { keyOf, nowMs, metrics, backOff = DEFAULT_BACK_OFF } = deps;
  const queue = createSerialQueue<K>({ nowMs, metrics });
  const retries = new Map<string, number>();
  let closed = false;

  const delayed = createDelayedAdds<K>({
    nowMs,
    setTimer: deps.setTimer ?? setRealTimer,
    onDue: (key, priority) => queue.put({ id: keyOf(key), key, priority }),
  });

  const add = (key: K, { priority = LIVE_PRIORITY }: AddOptions = {}): void => {
    if (closed) return;
    const id = keyOf(key);
    const delayedPriority = delayed.take(id) ?? priority;
    queue.put({ id, key, priority: Math.max(priority, delayedPriority) });
  };

  const addAfter = (key: K, delayMs: number, options: AddOptions = {}): void => {
    if (closed) return;
    metrics?.retried();
    const id = keyOf(key);
    const priority = options.priority ?? LIVE_PRIORITY;
    // If the key is already waiting, it will be reconciled anyway, so a delayed add is not needed.
    if (!(delayMs > 0)) add(key, options);
    else if (!queue.waits(id)) delayed.put(id, { key, priority, delayMs });
  };

  return {
    add,
    addAfter,
    addRateLimited: (key, options) => {
      const before = retries.get(keyOf(key)) ?? 0;
      retries.set(keyOf(key), before + 1);
      addAfter(key, Math.min(backOff.baseMs * 2 ** before, backOff.maxMs), options);
    },
    forget: (key) => void retries.delete(keyOf(key)),
    retriesOf: (key) => retries.get(keyOf(key)) ?? 0,
    get: queue.get,
    done: (key) => queue.done(keyOf(key)),
    depth: queue.depth,
    shutDown: ({ drop = false } = {}) => {
      closed = true;
      delayed.clear();
      return queue.close(drop);
    },
  };
}
