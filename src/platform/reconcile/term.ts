import { clearTimeout, delay, monotonicMs, setTimeout } from '../../clock.ts';
import {
  createController,
  type Controller,
  type ReconcileResult,
  type ControllerMetrics,
} from '../controller/controller.ts';
import { createPeriodic } from '../controller/periodic.ts';
import {
  createWorkQueue,
  RESYNC_PRIORITY,
  type WorkQueue,
  type WorkQueueMetrics,
} from '../controller/work-queue.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { asWork } from '../observability/work.ts';
import { WriteConflictError, type ObjectKey } from '../resources/resource-store.ts';

/** The parts of a kind that the leader needs during its term. */
export type TermKind = {
  kind: string;
  /**
   * Lists the keys of all declared objects and of all rows. Rows are included, because a row without an object means
   * that the object was deleted while no operator was watching.
   */
  listKeys: () => Promise<ObjectKey[]>;
  /** Lists objects that must be reconciled although their declaration has not changed. Called once a minute. */
  listStale?: (() => Promise<ObjectKey[]>) | undefined;
  /**
   * Like `listStale`, but for objects that must not wait a minute. It is called every five seconds and soon after each
   * call of `look`. If it returns objects, it is called again after a second. Calls are at least a second apart.
   */
  listChanged?: (() => Promise<ObjectKey[]>) | undefined;
  reconcile: (key: ObjectKey) => Promise<ReconcileResult>;
};

/** Reconciles objects while this process is the leader, with a queue and workers for each kind. */
export type Term = {
  /** Queues an object that has changed. Objects of other kinds are ignored. */
  changed: (kind: string, key: ObjectKey) => void;
  /** Schedules a call to `listChanged`. */
  look: () => void;
  stop: () => Promise<void>;
};

export type TermDeps = {
  kinds: readonly TermKind[];
  metrics: Metrics;
  log: Logger;
  /** Resolves when reconciling may start. */
  begins: Promise<void>;
  /** Time in ms between the first and the second full resync. 0 means the usual interval. */
  lookAgainMs: number;
};

const nowMs = (): number => monotonicMs();
const LIST_AGAIN_MS = 1_000;
/**
 * Interval in ms between full resyncs. The interval is the same as in controller-runtime. It ensures that a missed
 * change is found within the same day.
 */
const RESYNC_MS = 10 * 3_600_000;
const STALE_MS = 60_000;
/** Interval in ms at which `listChanged` is called in case a notification was lost. */
const CHANGED_MS = 5_000;
/** Minimum time in ms between two calls of `listChanged`. */
const CHANGED_GAP_MS = 1_000;

export function startTerm({ kinds, metrics, log, begins, lookAgainMs }: TermDeps): Term {
  const stopping = new AbortController();
  const queues = new Map<string, WorkQueue<ObjectKey>>();
  const controllers: Controller[] = [];
  const looks: Look[] = [];
  for (const { kind, reconcile, listKeys, listStale, listChanged } of kinds) {
    const name = kind.toLowerCase();
    const queue = createWorkQueue<ObjectKey>({
      keyOf: (key) => `${key.namespace}/${key.name}`,
      nowMs,
      metrics: workQueueMetrics(metrics, name),
    });
    queues.set(kind, queue);
    const controller = createController({
      name,
      queue,
      reconcile: (key) =>
        asWork({ name: `reconcile ${name}`, namespace: key.namespace }, () =>
          requeueOnConflict(reconcile)(key),
        ),
      log,
      nowMs,
      metrics: controllerMetrics(metrics, name),
    });
    controllers.push(controller);
    void begins.then(() => {
      if (stopping.signal.aborted) return;
      controller.start();
      const to = { queue, log, signal: stopping.signal };
      void queueAgain({ ...to, listKeys, firstWaitMs: lookAgainMs, waitMs: RESYNC_MS });
      const again = { ...to, firstWaitMs: 0 };
      if (listStale) void queueAgain({ ...again, listKeys: listStale, waitMs: STALE_MS });
      if (listChanged) looks.push(startLook({ ...to, listChanged }));
    });
  }
  return {
    changed: (kind, key) => queues.get(kind)?.add(key),
    look: () => {
      for (const { wake } of looks) wake();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([...controllers, ...looks].map((part) => part.stop()));
    },
  };
}

/**
 * Converts a write conflict to a requeue. A conflict does not count as a failure, because the object only has to be
 * read again.
 */
function requeueOnConflict(
  reconcile: (key: ObjectKey) => Promise<ReconcileResult>,
): (key: ObjectKey) => Promise<ReconcileResult> {
  return async (key) => {
    try {
      return await reconcile(key);
    } catch (error) {
      if (error instanceof WriteConflictError) return { requeueAfterMs: 0 };
      throw error;
    }
  };
}

/**
 * Queues all listed objects repeatedly, at a lower priority than live changes. `firstWaitMs` is the time between the
 * first and the second round. If it is 0, `waitMs` applies, which is the time between all later rounds.
 */
async function queueAgain(deps: {
  listKeys: () => Promise<ObjectKey[]>;
  queue: WorkQueue<ObjectKey>;
  log: Logger;
  firstWaitMs: number;
  waitMs: number;
  signal: AbortSignal;
}): Promise<void> {
  const { signal, queue, log } = deps;
  let nextMs = deps.firstWaitMs > 0 ? deps.firstWaitMs : deps.waitMs;
  while (!signal.aborted) {
    let sleepMs = nextMs;
    try {
      for (const key of await deps.listKeys()) queue.add(key, { priority: RESYNC_PRIORITY });
      nextMs = deps.waitMs;
    } catch (error) {
      log.warn({ err: error }, 'cannot list objects; retrying');
      sleepMs = LIST_AGAIN_MS;
    }
    await delay(sleepMs, { signal, ref: false }).catch(() => undefined);
  }
}

type Look = { wake: () => void; stop: () => Promise<void> };

/**
 * Calls `listChanged` periodically and after each call of `wake`. Reconciling an object may itself lead to such a call,
 * so two runs are at least `CHANGED_GAP_MS` apart.
 */
function startLook({
  listChanged,
  queue,
  log,
}: {
  listChanged: () => Promise<ObjectKey[]>;
  queue: WorkQueue<ObjectKey>;
  log: Logger;
}): Look {
  let timer: NodeJS.Timeout | undefined;
  let lookedMs = -Infinity;
  const looking = createPeriodic({
    what: 'looking for changed objects',
    everyMs: CHANGED_MS,
    log,
    run: async () => {
      clearTimeout(timer);
      timer = undefined;
      lookedMs = nowMs();
      const keys = await listChanged();
      for (const key of keys) queue.add(key, { priority: RESYNC_PRIORITY });
      return keys.length > 0 && CHANGED_GAP_MS;
    },
  });
  looking.start();
  return {
    wake: () => {
      timer ??= setTimeout(looking.wake, lookedMs + CHANGED_GAP_MS - nowMs());
    },
    stop: async () => {
      await looking.stop();
      clearTimeout(timer);
    },
  };
}

/** Connects the hooks of src/platform/controller/controller.ts to the metrics for one controller. */
function controllerMetrics(metrics: Metrics, controller: string): ControllerMetrics {
  const label = { controller };
  return {
    reconciled: (result) => metrics.reconciles.inc({ ...label, result }),
    errored: () => metrics.reconcileErrors.inc(label),
    terminalError: () => metrics.terminalErrors.inc(label),
    panicked: () => metrics.reconcilePanics.inc(label),
    timedOut: () => metrics.reconcileTimeouts.inc(label),
    reconcileTime: (sec) => metrics.reconcileTime.observe(label, sec),
    activeWorkers: (count) => metrics.activeWorkers.set(label, count),
    maxConcurrentReconciles: (count) => metrics.maxConcurrent.set(label, count),
  };
}

/** Connects the hooks of a controller's work queue to the metrics. */
function workQueueMetrics(metrics: Metrics, controller: string): WorkQueueMetrics {
  const label = { name: controller, controller };
  return {
    depth: (keys) => metrics.queueDepth.set(label, keys),
    added: () => metrics.queueAdds.inc(label),
    queueDuration: (sec) => metrics.queueWait.observe(label, sec),
    workDuration: (sec) => metrics.queueWork.observe(label, sec),
    retried: () => metrics.queueRetries.inc(label),
    running: (read) =>
      metrics.beforeScrape.set(controller, () => {
        const { unfinishedWorkSec, longestRunningSec } = read();
        metrics.queueUnfinished.set(label, unfinishedWorkSec);
        metrics.queueLongest.set(label, longestRunningSec);
      }),
  };
}
