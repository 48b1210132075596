import { createController, type Controller, type ReconcileResult } from '../controller/controller.ts';
import { createWorkQueue, RESYNC_PRIORITY, type WorkQueue } from '../controller/work-queue.ts';
import type { AddressGuard } from '../egress/address-guard.ts';
import type { Logger } from '../observability/logger.ts';
import { controllerMetrics, workQueueMetrics } from '../observability/controller-metrics.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ObjectKey, Resource, ResourceStore } from '../resources/resource-store.ts';
import { holdAgent } from '../services/hold-agent.ts';
import { holdEndpoint } from '../services/hold-endpoint.ts';
import { createAnnounce } from '../services/emit-event.ts';
import { projectEndpoint } from '../services/project-endpoint.ts';
import { publishAgent } from '../services/publish-agent.ts';
import { readAgentHistory } from '../services/read-agent-history.ts';
import { readEndpointHealth } from '../services/read-endpoint-health.ts';
import { removeAgent } from '../services/remove-agent.ts';
import { removeEndpoint } from '../services/remove-endpoint.ts';
import { agentNamespace, findAgentId, listAgentKeys } from '../store/agents.ts';
import { createLeadership } from '../store/leadership.ts';
import { createNotifier } from '../store/notifications.ts';
import { maintainPartitions } from '../store/partitions.ts';
import type { Pool } from '../store/pool.ts';
import type { Sealer } from '../store/sealing.ts';
import { endpointNamespace, findEndpointId, listEndpointKeys } from '../store/webhook-endpoints.ts';
import { createAgentReconciler } from './agent-reconciler.ts';
import { agentUses, endpointUses } from './dependents.ts';
import { identify } from './identity.ts';
import { createWebhookEndpointReconciler } from './webhook-endpoint-reconciler.ts';

export type OperatorRoleDeps = {
  pool: Pool;
  databaseUrl: string;
  store: ResourceStore;
  sealer: Sealer;
  guard: AddressGuard;
  metrics: Metrics;
  log: Logger;
};

/** One kind on the road: how to bring it in force, which rows it has, what it reads. */
type Road = {
  kind: string;
  reconcile: (key: ObjectKey) => Promise<ReconcileResult>;
  /** Names that have a row, to find what was deleted while nobody looked. */
  listKeys: () => Promise<ObjectKey[]>;
  uses: (object: Resource, kind: string, name: string) => boolean;
};

/** The kinds that others refer to. */
const REFERRED = ['Secret', 'ConfigMap'];

/** The operator role. Returns at once; reconciles whenever this process leads. */
export async function runOperator(deps: OperatorRoleDeps): Promise<{ stop: () => Promise<void> }> {
  const notifier = createNotifier({ pool: deps.pool, log: deps.log });
  await maintainPartitions(deps.pool, Date.now());
  let term: { stop: () => Promise<void> } | undefined;
  const leadership = createLeadership({
    databaseUrl: deps.databaseUrl,
    log: deps.log,
    onLead: async (epoch) => {
      term = startTerm(deps, roads(deps, notifier, epoch));
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

function roads(
  { pool, store, guard, sealer, metrics }: OperatorRoleDeps,
  notifier: ReturnType<typeof createNotifier>,
  epoch: number,
): Road[] {
  const announce = createAnnounce({ notifier, metrics });
  const nowMs = Date.now;
  const now = (): Date => new Date();
  const agent = createAgentReconciler({
    ...{ store, guard, now },
    identify: (resource) =>
      identify(
        {
          store,
          nowMs,
          findByName: (key) => findAgentId(pool, key),
          namespaceOf: (id) => agentNamespace(pool, id),
        },
        resource,
        'agt',
      ),
    publish: (agent, actors) =>
      publishAgent({ pool, notifier, announce, nowMs }, { epoch, agent, actors }),
    hold: (agent, condition) => holdAgent({ pool, notifier }, { epoch, agent, condition }),
    remove: (key) => removeAgent({ pool, notifier }, { epoch, ...key }),
    readHistory: (id, limit) => readAgentHistory({ pool }, id, limit),
  });
  const endpoint = createWebhookEndpointReconciler({
    ...{ store, guard, now },
    identify: (resource) =>
      identify(
        {
          store,
          nowMs,
          findByName: (key) => findEndpointId(pool, key),
          namespaceOf: (id) => endpointNamespace(pool, id),
        },
        resource,
        'we',
      ),
    project: (endpoint, secret) =>
      projectEndpoint({ pool, notifier, sealer }, { epoch, endpoint, secret }),
    hold: (endpoint) => holdEndpoint({ pool, notifier }, { epoch, endpoint }),
    remove: (key) => removeEndpoint({ pool, notifier, metrics }, { epoch, ...key }),
    readHealth: (id, namespace) => readEndpointHealth({ pool }, { id, namespace }),
  });
  return [
    { kind: 'Agent', reconcile: agent, uses: agentUses, listKeys: () => listAgentKeys(pool) },
    {
      ...{ kind: 'WebhookEndpoint', reconcile: endpoint, uses: endpointUses },
      listKeys: () => listEndpointKeys(pool),
    },
  ];
}

/** Everything that runs while this process leads; its epoch is in the roads. */
function startTerm(
  deps: OperatorRoleDeps,
  kinds: readonly Road[],
): { stop: () => Promise<void> } {
  const { store, log } = deps;
  const nowMs = (): number => performance.now();
  const queues = new Map<string, WorkQueue<ObjectKey>>();
  const controllers: Controller[] = [];
  const watches: { stop: () => Promise<void> }[] = [];
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
    watches.push(watchKind({ store, kind, queue }));
    listKeys()
      .then((keys) => keys.forEach((key) => queue.add(key, { priority: RESYNC_PRIORITY })))
      .catch((error: Error) => log.warn({ reason: error.message }, 'cannot list what has rows'));
  }
  for (const kind of REFERRED) watches.push(watchReferred({ store, kind, kinds, queues, log }));
  return {
    stop: async () => {
      await Promise.all(watches.map((watch) => watch.stop()));
      await Promise.all(controllers.map((controller) => controller.stop()));
    },
  };
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

/** A changed Secret or ConfigMap brings those that read it up again. */
function watchReferred(deps: {
  store: ResourceStore;
  kind: string;
  kinds: readonly Road[];
  queues: ReadonlyMap<string, WorkQueue<ObjectKey>>;
  log: Logger;
}) {
  let synced = false;
  async function bringUp({ namespace, name }: ObjectKey): Promise<void> {
    for (const { kind, uses } of deps.kinds) {
      for (const object of await deps.store.list(kind, namespace)) {
        if (uses(object, deps.kind, name)) deps.queues.get(kind)?.add(object.metadata);
      }
    }
  }
  return deps.store.watch(deps.kind, {
    onChange: ({ key }) => {
      // Before that, every object is looked at anyway.
      if (!synced) return;
      bringUp(key).catch((error: Error) => deps.log.warn({ reason: error.message }, 'cannot look up'));
    },
    onSynced: () => {
      synced = true;
    },
  });
}
