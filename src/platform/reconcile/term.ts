import { delay, monotonicMs } from '../../clock.ts';
import {
  createController,
  type Controller,
  type ReconcileResult,
} from '../controller/controller.ts';
import { createWorkQueue, RESYNC_PRIORITY, type WorkQueue } from '../controller/work-queue.ts';
import { controllerMetrics, workQueueMetrics } from './controller-metrics.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { asWork } from '../observability/work.ts';
import { WriteConflictError, type ObjectKey } from '../resources/resource-store.ts';

/** The parts of a kind that a term needs. */
export type TermKind = {
  kind: string;
  /** Lists the keys of declared objects and of rows: a row without an object was deleted while nobody watched. */
  listKeys: () => Promise<ObjectKey[]>;
  /** Lists objects to reconcile although their declaration did not change. Called once a minute. */
  listStale?: (() => Promise<ObjectKey[]>) | undefined;
  /** Lists further objects of this sort that must not wait that long. Called once a second. */
  listChanged?: (() => Promise<ObjectKey[]>) | undefined;
  reconcile: (key: ObjectKey) => Promise<ReconcileResult>;
};

/** Reconciles while this process leads, with a queue and workers for each kind. */
export type Term = {
  /** Queues an object that changed; other kinds are ignored. */
  changed: (kind: string, key: ObjectKey) => void;
  stop: () => Promise<void>;
};

export type TermDeps = {
  kinds: readonly TermKind[];
  metrics: Metrics;
  log: Logger;
  /** Reconciling starts after it resolves. */
  begins: Promise<void>;
  /** Time until everything is listed for the second time; 0 keeps the usual interval. */
  lookAgainMs: number;
};

const nowMs = (): number => monotonicMs();
const LIST_AGAIN_MS = 1_000;
/** Interval of controller-runtime: a missed change is found on the same day. */
const RESYNC_MS = 10 * 3_600_000;
const STALE_MS = 60_000;
const CHANGED_MS = 1_000;

export function startTerm({ kinds, metrics, log, begins, lookAgainMs }: TermDeps): Term {
  const stopping = new AbortController();
  const queues = new Map<string, WorkQueue<ObjectKey>>();
  const controllers: Controller[] = [];
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
      if (listChanged) void queueAgain({ ...again, listKeys: listChanged, waitMs: CHANGED_MS });
    });
  }
  return {
    changed: (kind, key) => queues.get(kind)?.add(key),
    stop: async () => {
      stopping.abort();
      await Promise.all(controllers.map((controller) => controller.stop()));
    },
  };
}

/** Requeues after a write conflict. It does not count as a failure, because the object only has to be read again. */
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
 * Queues everything repeatedly, at a lower priority than current changes. `firstWaitMs` is the wait between the first
 * and the second time; 0 means `waitMs`, as later.
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
      log.warn({ err: error }, 'cannot list what there is; will try again');
      sleepMs = LIST_AGAIN_MS;
    }
    await delay(sleepMs, { signal, ref: false }).catch(() => undefined);
  }
}
