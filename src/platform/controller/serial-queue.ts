import { createSerialSet } from './serial-set.ts';

export type WorkItem<K> = { id: string; key: K; priority: number };

/** Called with what client-go's `workqueue_*` metrics of the same name mean. Must not throw. */
export type SerialQueueMetrics = {
  depth: (keys: number) => void;
  /** adds_total: merged adds do not count. */
  added: () => void;
  queueDuration: (sec: number) => void;
  workDuration: (sec: number) => void;
  /**
   * Called once with a reader for unfinished_work_seconds (sum over the keys in work) and
   * longest_running_processor_seconds. Read it at scrape time; client-go needs a 500 ms loop.
   */
  running: (read: () => { unfinishedWorkSec: number; longestRunningSec: number }) => void;
};

export type SerialQueue<K> = {
  put: (item: WorkItem<K>) => void;
  /** Ready, or in work and put again. */
  waits: (id: string) => boolean;
  get: () => Promise<WorkItem<K> | undefined>;
  done: (id: string) => void;
  depth: () => number;
  close: (drop: boolean) => Promise<void>;
};

/** Hands keys to workers that wait; knows nothing of time to come. See `WorkQueue` for the rules. */
export function createSerialQueue<K>(deps: {
  nowMs: () => number;
  metrics: SerialQueueMetrics | undefined;
}): SerialQueue<K> {
  const { nowMs, metrics } = deps;
  const keys = createSerialSet<K>();
  const idleWorkers: ((item: WorkItem<K> | undefined) => void)[] = [];
  const drained = Promise.withResolvers<void>();
  let closed = false;
  metrics?.running(() => readRunning(keys.startsMs(), nowMs()));

  const take = (): WorkItem<K> | undefined => {
    const entry = keys.shift(nowMs());
    if (!entry) return undefined;
    metrics?.depth(keys.depth());
    metrics?.queueDuration((nowMs() - entry.addedAtMs) / 1000);
    return { id: entry.id, key: entry.key, priority: entry.priority };
  };

  const handOut = (): void => {
    while (idleWorkers.length > 0 && keys.hasReady()) idleWorkers.shift()?.(take());
  };

  const resolveDrained = (): void => {
    if (closed && keys.depth() === 0 && keys.startsMs().length === 0) drained.resolve();
  };

  return {
    put: (item) => {
      if (!keys.put({ ...item, addedAtMs: nowMs() })) return;
      metrics?.added();
      metrics?.depth(keys.depth());
      handOut();
    },
    waits: keys.waits,
    get: () => {
      const item = take();
      if (item || closed) return Promise.resolve(item);
      return new Promise((resolve) => idleWorkers.push(resolve));
    },
    done: (id) => {
      const startedAtMs = keys.finish(id);
      if (startedAtMs === undefined) return;
      metrics?.workDuration((nowMs() - startedAtMs) / 1000);
      handOut();
      resolveDrained();
    },
    depth: keys.depth,
    close: (drop) => {
      closed = true;
      if (drop) keys.dropWaiting();
      metrics?.depth(keys.depth());
      for (const release of idleWorkers.splice(0)) release(undefined);
      resolveDrained();
      return drained.promise;
    },
  };
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
