import { createDelayedAdds } from './delayed-adds.ts';
import { createSerialQueue, type SerialQueueMetrics, type WorkItem } from './serial-queue.ts';
import { setRealTimer, type SetTimer } from './timer.ts';

/**
 * A work queue for reconcilers, with the semantics of client-go's:
 * - a key waits at most once, however often it is added;
 * - a key is never with two workers; if it is added while one has it, it runs again afterwards;
 * - so after the last add of a key there is always one more run that begins later.
 * A delayed add merges with an earlier one, or with an add for now ("earliest wins", as in controller-runtime's
 * priority queue). client-go keeps both and runs a key once too often. Merging loses nothing, because a reconciler
 * requests its next call each time.
 */
export type WorkQueue<K> = {
  /** Makes the key ready now. Ignored after `shutDown`, like all adds. */
  add: (key: K, options?: AddOptions) => void;
  /** Makes the key ready in `delayMs`, or immediately unless that is positive. Counts as a retry. */
  addAfter: (key: K, delayMs: number, options?: AddOptions) => void;
  /** Makes the key ready after its back-off: base·2^n for its n-th call in a row since `forget`. */
  addRateLimited: (key: K, options?: AddOptions) => void;
  /** Ends the key's back-off, after a success or if it will not be retried. */
  forget: (key: K) => void;
  /** Returns the number of `addRateLimited` calls since `forget`. */
  retriesOf: (key: K) => number;
  /** Returns the next key, which must be returned with `done`; undefined once shut down and empty. */
  get: () => Promise<WorkItem<K> | undefined>;
  done: (key: K) => void;
  /** Returns the number of keys that wait for a worker, including those to run again after their current run. */
  depth: () => number;
  /**
   * Refuses further adds and cancels the delayed ones. Workers process all waiting keys (with `drop`, only those they
   * already have) and then get undefined. Resolves when no key waits or is in work.
   */
  shutDown: (options?: { drop?: boolean }) => Promise<void>;
};

/**
 * Higher always runs first: under endless live changes a lower one waits forever. This is right for a resync (the live
 * change of an object serves it) and wrong for most other uses.
 */
export type AddOptions = { priority?: number };

export const LIVE_PRIORITY = 0;
/** Priority of the first list after a start: current changes go before existing objects. */
export const RESYNC_PRIORITY = -100;

export type WorkQueueMetrics = SerialQueueMetrics & {
  /** retries_total: every delayed add, both for back-off and for requeue. */
  retried: () => void;
};

export type WorkQueueDeps<K> = {
  /** Returns the identity of a key. Keys with equal results are the same key. */
  keyOf: (key: K) => string;
  /** Clock, preferably monotonic (`monotonicMs`), because only differences are used. */
  nowMs: () => number;
  setTimer?: SetTimer;
  metrics?: WorkQueueMetrics;
  backOff?: { baseMs: number; maxMs: number };
};

// client-go stops at 1000 s, but a person who fixed a problem should not wait that long to see it.
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
    // A key that already waits runs before its delay would end.
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
