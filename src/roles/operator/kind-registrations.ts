import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { chunkText } from '../../knowledge/passages/chunk.ts';
import type { ReconcileResult } from '../../platform/controller/controller.ts';
import type { RecordEvent } from '../../platform/resources/resource-events.ts';
import type {
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import { createAnnounce } from '../../events/emit-event.ts';
import { holdAgent } from '../../agents/hold-agent.ts';
import { holdEndpoint } from '../../webhooks/endpoints/hold-endpoint.ts';
import { listStaleSources } from '../../knowledge/sources/list-stale-sources.ts';
import { projectEndpoint } from '../../webhooks/endpoints/project-endpoint.ts';
import { projectSource, removeSource } from '../../knowledge/sources/project-source.ts';
import { publishAgent } from '../../agents/publish-agent.ts';
import { readAgentHistory } from '../../agents/read-agent-history.ts';
import {
  listStaleEndpoints,
  readEndpointHealth,
} from '../../webhooks/endpoints/read-endpoint-health.ts';
import { readEndpointSecrets } from '../../webhooks/endpoints/read-endpoint-secret.ts';
import { removeAgent } from '../../agents/remove-agent.ts';
import { removeEndpoint } from '../../webhooks/endpoints/remove-endpoint.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import {
  findIdByName,
  listProjectedKeys,
  placeOfId,
  type ProjectionTable,
} from '../../platform/resources/projections.sql.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { createAgentReconciler } from '../../agents/agent-reconciler.ts';
import { agentUses, endpointUses, sourceUses } from './dependents.ts';
import { identify } from '../../platform/reconcile/identity.ts';
import { createKnowledgeSourceReconciler } from '../../knowledge/sources/knowledge-source-reconciler.ts';
import { createWebhookEndpointReconciler } from '../../webhooks/endpoints/webhook-endpoint-reconciler.ts';

/**
 * The kinds on the road, each wired to its services. A composition root: run.ts walks what this
 * returns and knows no kind by name.
 */

/** One kind on the road: how to bring it in force, which rows it has, what it reads. */
export type KindRegistration = {
  kind: string;
  /** For one term: its epoch fences every write. */
  reconcilerOf: (epoch: number) => (key: ObjectKey) => Promise<ReconcileResult>;
  /** Names that have a row, to find what was deleted while nobody looked. */
  listRowKeys: () => Promise<ObjectKey[]>;
  uses: (object: Resource, kind: string, name: string) => boolean;
  /** Objects of other kinds may use one of these. */
  isReferred?: boolean;
  /** Objects whose status tells what was the case, asked now and then: nothing tells of those. */
  listStale?: () => Promise<ObjectKey[]>;
};

export type RegistrationDeps = {
  pool: Pool;
  store: ResourceStore;
  sealer: Sealer;
  guard: AddressGuard;
  metrics: Metrics;
  notifier: Notifier;
  record: RecordEvent;
};

const now = (): Date => new Date();
const nowMs = Date.now;

export function createKindRegistrations(deps: RegistrationDeps): KindRegistration[] {
  return [
    agentRegistration(deps),
    webhookEndpointRegistration(deps),
    knowledgeSourceRegistration(deps),
  ];
}

function agentRegistration(deps: RegistrationDeps): KindRegistration {
  const { pool, store, guard, record, notifier } = deps;
  const announce = createAnnounce(deps);
  const identity = identityIn('agents', { pool, store });
  const acting = { pool, notifier, announce, nowMs };
  return {
    kind: 'Agent',
    uses: agentUses,
    listRowKeys: () => listProjectedKeys(pool, 'agents'),
    reconcilerOf: (epoch) =>
      createAgentReconciler({
        store,
        guard,
        record,
        now,
        identify: (resource) =>
          identify(identity, resource, { prefix: 'agt', told: told(resource.status['agentId']) }),
        publish: (agent, actors) => publishAgent(acting, { epoch, agent, actors }),
        hold: (agent, held) => holdAgent(acting, { epoch, agent, ...held }),
        remove: (key) => removeAgent(acting, { epoch, ...key }),
        readHistory: (id, limit) => readAgentHistory({ pool }, id, limit),
      }),
  };
}

function webhookEndpointRegistration(deps: RegistrationDeps): KindRegistration {
  const { pool, store, guard, record } = deps;
  const identity = identityIn('webhook_endpoints', { pool, store });
  return {
    kind: 'WebhookEndpoint',
    uses: endpointUses,
    listRowKeys: () => listProjectedKeys(pool, 'webhook_endpoints'),
    listStale: () =>
      listStaleEndpoints(
        { pool },
        async (key) => (await store.get('WebhookEndpoint', key))?.status,
      ),
    reconcilerOf: (epoch) =>
      createWebhookEndpointReconciler({
        store,
        guard,
        record,
        now,
        identify: (resource) =>
          identify(identity, resource, { prefix: 'we', told: told(resource.status['endpointId']) }),
        project: (endpoint, secrets) => projectEndpoint(deps, { epoch, endpoint, secrets }),
        hold: (endpoint) => holdEndpoint(deps, { epoch, endpoint }),
        remove: (key) => removeEndpoint(deps, { epoch, ...key }),
        readSecrets: (endpoint) => readEndpointSecrets(deps, endpoint),
        readHealth: (endpoint, status) => readEndpointHealth({ pool }, endpoint, status),
      }),
  };
}

function knowledgeSourceRegistration(deps: RegistrationDeps): KindRegistration {
  const { pool, store, record } = deps;
  const identity = identityIn('knowledge_sources', { pool, store });
  const indexing = { ...deps, announce: createAnnounce(deps), split: chunkText, nowMs };
  return {
    kind: 'KnowledgeSource',
    uses: sourceUses,
    isReferred: true,
    listRowKeys: () => listProjectedKeys(pool, 'knowledge_sources'),
    listStale: () =>
      listStaleSources({ pool }, async (key) => (await store.get('KnowledgeSource', key))?.status),
    reconcilerOf: (epoch) =>
      createKnowledgeSourceReconciler({
        store,
        record,
        now,
        identify: (resource) =>
          identify(identity, resource, { prefix: 'ks', told: told(resource.status['sourceId']) }),
        project: (source) => projectSource(indexing, { epoch, source }),
        remove: (key) => removeSource(deps, { epoch, ...key }),
      }),
  };
}

/** How objects of a kind are told apart, by the rows they have. */
function identityIn(
  table: ProjectionTable,
  { pool, store }: Pick<RegistrationDeps, 'pool' | 'store'>,
) {
  return {
    store,
    nowMs,
    findByName: (key: ObjectKey) => findIdByName(pool, table, key),
    placeOf: (id: string) => placeOfId(pool, table, id),
  };
}

/** The id of a status, which anybody could have written there. */
function told(id: unknown): string | undefined {
  return typeof id === 'string' ? id : undefined;
}
