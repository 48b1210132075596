import { setTimeout } from 'node:timers/promises';
import { createController, type Controller } from '../controller/controller.ts';
import { createWorkQueue, RESYNC_PRIORITY, type WorkQueue } from '../controller/work-queue.ts';
import type { AddressGuard } from '../egress/address-guard.ts';
import type { Logger } from '../observability/logger.ts';
import { controllerMetrics, workQueueMetrics } from '../observability/controller-metrics.ts';
import type { Metrics } from '../observability/metrics.ts';
import { CORE_KINDS } from '../resources/core-kinds.ts';
import type { ObjectKey, ResourceStore } from '../resources/resource-store.ts';
import { createLeadership } from '../store/leadership.ts';
import { createNotifier } from '../store/notifications.ts';
import { maintainPartitions } from '../store/partitions.ts';
import type { Pool } from '../store/pool.ts';
import type { Sealer } from '../store/sealing.ts';
import { createRoads, type Road } from './roads.ts';

export type OperatorRoleDeps = {
  pool: Pool;
  databaseUrl: string;
  store: ResourceStore;
  sealer: Sealer;
  guard: AddressGuard;
  metrics: Metrics;
  log: Logger;
};

/** The operator role. Returns at once; reconciles whenever this process leads. */
export async function runOperator(deps: OperatorRoleDeps): Promise<{ stop: () => Promise<void> }> {
  const notifier = createNotifier({ pool: deps.pool, log: deps.log });
  await maintainPartitions(deps.pool, Date.now());
  let term: { stop: () => Promise<void> } | undefined;
  const leadership = createLeadership({
    databaseUrl: deps.databaseUrl,
    log: deps.log,
    onLead: async (epoch) => {
      term = startTerm(deps, createRoads({ ...deps, notifier, epoch }));
      deps.metrics.leader.set({ name: 'parley-operator' }, 1);
    },
    onLost: async () => {
      deps.metrics.leader.set({ name: 'parley-operator' }, 0);
      await term?.stop();
    },
  });
  leadership.start();
  return {
    stop: async () => {
      await leadership.stop();
      await notifier.stop();
    },
  };
}

/** Everything that runs while this process leads; its epoch is in the roads. */
function startTerm(deps: OperatorRoleDeps, kinds: readonly Road[]): { stop: () => Promise<void> } {
  const { store, log } = deps;
  const nowMs = (): number => performance.now();
  const queues = new Map<string, WorkQueue<ObjectKey>>();
  const controllers: Controller[] = [];
  const watches: { stop: () => Promise<void> }[] = [];
  const stopping = new AbortController();
  for (const { kind, reconcile, listKeys } of kinds) {
    const name = kind.toLowerCase();
    const queue = createWorkQueue<ObjectKey>({
      keyOf: (key) => `${key.namespace}/${key.name}`,
      nowMs,
      metrics: workQueueMetrics(deps.metrics, name),
    });
    queues.set(kind, queue);
    const metrics = controllerMetrics(deps.metrics, name);
    const controller = createController({ name, queue, reconcile, log, nowMs, metrics });
    controller.start();
    controllers.push(controller);
    void queueRows({ listKeys, queue, log, signal: stopping.signal });
  }
  const referred = CORE_KINDS.map((kind) => watchReferred({ store, kind, kinds, queues, log }));
  watches.push(...referred);
  // Those that refer come last: a change of what they have read already must not go unheard.
  const watchAll = async (): Promise<void> => {
    await Promise.all(referred.map(({ synced }) => synced));
    if (stopping.signal.aborted) return;
    for (const [kind, queue] of queues) watches.push(watchKind({ store, kind, queue }));
  };
  void watchAll();
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(watches.map((watch) => watch.stop()));
      await Promise.all(controllers.map((controller) => controller.stop()));
    },
  };
}

const LIST_AGAIN_MS = 1_000;

/** Looks at each name that has a row, to find what was deleted while nobody watched. */
async function queueRows(deps: {
  listKeys: () => Promise<ObjectKey[]>;
  queue: WorkQueue<ObjectKey>;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { signal, queue, log } = deps;
  while (!signal.aborted) {
    try {
      for (const key of await deps.listKeys()) queue.add(key, { priority: RESYNC_PRIORITY });
      return;
    } catch (error) {
      log.warn({ err: error }, 'cannot list what has rows; will try again');
      await setTimeout(LIST_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** The first list yields to what changes meanwhile. */
function watchKind(deps: { store: ResourceStore; kind: string; queue: WorkQueue<ObjectKey> }) {
  let synced = false;
  return deps.store.watch(deps.kind, {
    onChange: ({ key }) => deps.queue.add(key, synced ? {} : { priority: RESYNC_PRIORITY }),
    onSynced: () => {
      synced = true;
    },
  });
}

/** A changed Secret or ConfigMap brings those that read it up again, once it is `synced`. */
function watchReferred(deps: {
  store: ResourceStore;
  kind: string;
  kinds: readonly Road[];
  queues: ReadonlyMap<string, WorkQueue<ObjectKey>>;
  log: Logger;
}): { synced: Promise<void>; stop: () => Promise<void> } {
  const synced = Promise.withResolvers<void>();
  let isSynced = false;
  async function bringUp({ namespace, name }: ObjectKey): Promise<void> {
    for (const { kind, uses } of deps.kinds) {
      for (const object of await deps.store.list(kind, namespace)) {
        if (uses(object, deps.kind, name)) deps.queues.get(kind)?.add(object.metadata);
      }
    }
  }
  const { stop } = deps.store.watch(deps.kind, {
    onChange: ({ key }) => {
      // Before that, nothing has been looked at.
      if (!isSynced) return;
      bringUp(key).catch((error: Error) =>
        deps.log.warn({ reason: error.message }, 'cannot look up'),
      );
    },
    onSynced: () => {
      isSynced = true;
      synced.resolve();
    },
  });
  return { synced: synced.promise, stop };
}
