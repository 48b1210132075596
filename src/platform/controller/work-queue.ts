import { createDelayedAdds } from './delayed-adds.ts';
import { createSerialQueue, type SerialQueueMetrics, type WorkItem } from './serial-queue.ts';
import { setRealTimer, type SetTimer } from './timer.ts';

/**
 * A work queue for reconcilers, with the semantics of client-go's:
 * - a key waits at most once, however often it is added;
 * - two workers never process the same key at once; a key that is added while a worker processes it runs again
 * afterwards;
 * - so after the last add of a key there is always one more run that begins later.
 * A delayed add merges with an earlier delayed add, or with an add for now ("earliest wins", as in controller-runtime's
 * priority queue). client-go keeps both, and so runs a key one time more than needed. Merging loses nothing: the
 * reconciler is called earlier, and that call requests the next one if it is needed.
 */
export type WorkQueue<K> = {
  /** Makes the key ready now. Ignored after `shutDown`, like all adds. */
  add: (key: K, options?: AddOptions) => void;
  /**
   * Makes the key ready after `delayMs`, or immediately if the delay is not positive. Counts as a retry in the metrics.
   */
  addAfter: (key: K, delayMs: number, options?: AddOptions) => void;
  /**
   * Makes the key ready after its back-off of base·2^n, where n is the number of earlier `addRateLimited` calls since
   * `forget`.
   */
  addRateLimited: (key: K, options?: AddOptions) => void;
  /** Resets the key's back-off, after a success or if the key will not be retried. */
  forget: (key: K) => void;
  /** Returns the number of `addRateLimited` calls since `forget`. */
  retriesOf: (key: K) => number;
  /**
   * Resolves with the next key, which the worker must release with `done`; undefined once the queue is shut down and
   * empty.
   */
  get: () => Promise<WorkItem<K> | undefined>;
  done: (key: K) => void;
  /** Returns the number of keys that wait for a worker, including those that will run again after their current run. */
  depth: () => number;
  /**
   * Ignores further adds and cancels the delayed ones. Workers process all waiting keys and then get undefined; with
   * `drop`, they process only the keys that they already have. Resolves when no key waits or is being processed.
   */
  shutDown: (options?: { drop?: boolean }) => Promise<void>;
};

/**
 * Keys of a higher priority always run first, so under a constant load of changes, keys of a lower priority wait
 * forever. That is acceptable for a resync, because a live change reconciles the object anyway. It is wrong for most
 * other uses.
 */
export type AddOptions = { priority?: number };

export const LIVE_PRIORITY = 0;
/** Priority of the objects listed at startup: current changes are processed first. */
export const RESYNC_PRIORITY = -100;

export type WorkQueueMetrics = SerialQueueMetrics & {
  /** retries_total: every delayed add, both for back-off and for requeue. */
  retried: () => void;
};

export type WorkQueueDeps<K> = {
  /** Returns the identity of a key. Keys with equal results are the same key. */
  keyOf: (key: K) => string;
  /** Clock, preferably `monotonicMs`, because only differences are used. */
  nowMs: () => number;
  setTimer?: SetTimer;
  metrics?: WorkQueueMetrics;
  backOff?: { baseMs: number; maxMs: number };
};

// The maximum is shorter than client-go's 1000 s: a person who has fixed a problem should not wait that long to see the
// result.
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
    // If the key already waits, it runs before the delay would end, so the delay is not needed.
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
