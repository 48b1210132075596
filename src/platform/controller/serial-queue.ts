import { createReadyQueue, type Entry } from './ready-queue.ts';

export type WorkItem<K> = { id: string; key: K; priority: number };

/** Hooks for metrics that have the same names as client-go's `workqueue_*` metrics. The hooks must not throw. */
export type SerialQueueMetrics = {
  depth: (keys: number) => void;
  /** Increments adds_total. Not called for an add that merges with an earlier one. */
  added: () => void;
  queueDuration: (sec: number) => void;
  workDuration: (sec: number) => void;
  /**
   * Called once, with a function that returns unfinished_work_seconds (sum over the keys being processed) and
   * longest_running_processor_seconds. The function is called on each scrape, whereas client-go updates both values
   * every 500 ms.
   */
  running: (read: () => { unfinishedWorkSec: number; longestRunningSec: number }) => void;
};

export type SerialQueue<K> = {
  put: (item: WorkItem<K>) => void;
  /** Returns true if the key is waiting for a worker, or was added again while a worker is processing it. */
  waits: (id: string) => boolean;
  get: () => Promise<WorkItem<K> | undefined>;
  done: (id: string) => void;
  depth: () => number;
  close: (drop: boolean) => Promise<void>;
};

/**
 * Hands keys to waiting workers, but never the same key to two workers at once. `WorkQueue` describes the rules;
 * delayed-adds.ts implements delays. The keys of `startedAtMs` correspond to client-go's `processing` set, and `ready`
 * and `again` together to its `dirty` set.
 */
export function createSerialQueue<K>(deps: {
  nowMs: () => number;
  metrics: SerialQueueMetrics | undefined;
}): SerialQueue<K> {
  const { nowMs, metrics } = deps;
  const ready = createReadyQueue<K>();
  // Keys added while a worker is processing them. They are not in `ready`, so no other worker takes them.
  const again = new Map<string, Entry<K>>();
  const startedAtMs = new Map<string, number>();
  const idleWorkers: ((item: WorkItem<K> | undefined) => void)[] = [];
  const drained = Promise.withResolvers<void>();
  let closed = false;
  metrics?.running(() => readRunning([...startedAtMs.values()], nowMs()));

  const depth = (): number => ready.size() + again.size;

  const waits = (id: string): boolean => ready.has(id) || again.has(id);

  const take = (): WorkItem<K> | undefined => {
    const entry = ready.shift();
    if (!entry) return undefined;
    startedAtMs.set(entry.id, nowMs());
    metrics?.depth(depth());
    metrics?.queueDuration((nowMs() - entry.addedAtMs) / 1000);
    return { id: entry.id, key: entry.key, priority: entry.priority };
  };

  const handOut = (): void => {
    while (idleWorkers.length > 0 && ready.size() > 0) idleWorkers.shift()?.(take());
  };

  const resolveDrained = (): void => {
    if (closed && depth() === 0 && startedAtMs.size === 0) drained.resolve();
  };

  return {
    put: (item) => {
      const isNew = !waits(item.id);
      const entry = { ...item, addedAtMs: nowMs() };
      if (startedAtMs.has(item.id)) again.set(item.id, merged(again.get(item.id), entry));
      else ready.put(entry);
      if (!isNew) return;
      metrics?.added();
      metrics?.depth(depth());
      handOut();
    },
    waits,
    get: () => {
      const item = take();
      if (item || closed) return Promise.resolve(item);
      return new Promise((resolve) => idleWorkers.push(resolve));
    },
    done: (id) => {
      const startMs = startedAtMs.get(id);
      const entry = again.get(id);
      startedAtMs.delete(id);
      again.delete(id);
      if (entry) ready.put(entry);
      if (startMs === undefined) return;
      metrics?.workDuration((nowMs() - startMs) / 1000);
      handOut();
      resolveDrained();
    },
    depth,
    close: (drop) => {
      closed = true;
      if (drop) {
        ready.clear();
        again.clear();
      }
      metrics?.depth(depth());
      for (const release of idleWorkers.splice(0)) release(undefined);
      resolveDrained();
      return drained.promise;
    },
  };
}

function merged<K>(old: Entry<K> | undefined, entry: Entry<K>): Entry<K> {
  if (!old) return entry;
  const priority = Math.max(entry.priority, old.priority);
  return { ...entry, priority, addedAtMs: old.addedAtMs };
}

function readRunning(
  startsMs: readonly number[],
  nowMs: number,
): { unfinishedWorkSec: number; longestRunningSec: number } {
  const agesSec = startsMs.map((startMs) => (nowMs - startMs) / 1000);
  return {
    unfinishedWorkSec: agesSec.reduce((sum, age) => sum + age, 0),
    longestRunningSec: Math.max(0, ...agesSec),
  };
}
