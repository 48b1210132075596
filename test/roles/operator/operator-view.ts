import { z } from 'zod';
import { fromUuid, type IdPrefix } from '../../../src/ids.ts';
import { createKubernetesResourceStore } from '../../../src/platform/kubernetes/resource-store.ts';
import type { Logger } from '../../../src/platform/observability/logger.ts';
import { ANNOTATIONS } from '../../../src/platform/resources/annotations.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { signingSecretName } from '../../../src/platform/reconcile/references.ts';
import { SIGNING_SECRET_KEY } from '../../../src/webhooks/endpoints/webhook-endpoint.ts';
import type { Pool } from '../../../src/platform/postgres/pool.ts';
import { createSealer } from '../../../src/platform/postgres/sealing.ts';
import { endpointSecretPlace } from '../../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import { conditionsOf } from '../../agents/agents.ts';
import type { Kube } from '../../platform/kubernetes/kube.ts';
import {
  promptOf,
  readyOf,
  type AgentModel,
  type EndpointModel,
  type Model,
} from './operator-model.ts';
import {
  readTables,
  type AgentTableRow,
  type EndpointTableRow,
  type Tables,
} from './operator-tables.ts';

/** Actual and expected state in the same form. They are equal if the operator works. */
export type View = {
  actual: unknown;
  expected: unknown;
  /** ID of each row, by name. */
  ids: Map<string, string>;
  /** Signing secret in each Secret, by name. */
  secrets: Map<string, string>;
};

export type Viewer = {
  look: () => Promise<View>;
  /** Stores the IDs and generated secrets of a correct view. They must never change. */
  learn: (view: View) => void;
};

const HISTORY_LIMIT = 10;

export function createViewer(deps: {
  kube: Kube;
  namespace: string;
  pool: Pool;
  encryptionKey: Buffer;
  model: Model;
  log: Logger;
}): Viewer {
  const { kube, namespace, pool, model, log } = deps;
  const store = createKubernetesResourceStore({ client: kube.client, log });
  const sealer = createSealer(deps.encryptionKey);
  const knownIds = new Map<string, string>();
  const open = ({ id, secret }: EndpointTableRow): string | null =>
    secret && sealer.open(secret, endpointSecretPlace(namespace, id));

  async function look(): Promise<View> {
    const objects = [
      ...(await store.list('Agent', namespace)),
      ...(await store.list('WebhookEndpoint', namespace)),
    ];
    const secrets = secretsOf(await store.list('Secret', namespace));
    const tables = await readTables(pool);
    const rows = [...tables.agents, ...tables.endpoints];
    const ids = new Map(rows.map(({ name, id }) => [name, knownIds.get(name) ?? id]));
    const objectOf = (name: string): Resource | undefined =>
      objects.find(({ metadata }) => metadata.name === name);
    const actual = {
      agents: model.agents.map(({ name }) => seenAgent(name, objectOf(name), tables)),
      endpoints: model.endpoints.map(({ name }) => {
        const found = tables.endpoints.filter((row) => row.name === name);
        return seenEndpoint(name, { object: objectOf(name), rows: found, open });
      }),
      objects: objects.map(({ metadata }) => metadata.name).sort(),
      secrets: Object.fromEntries(secrets),
      events: tables.eventCount,
      leftInQueue: tables.leftInQueue,
      trespasses: tables.trespasses,
    };
    return { actual, expected: expected(model, { ids, secrets }), ids, secrets };
  }

  return {
    look,
    learn: ({ ids, secrets }) => {
      for (const [name, id] of ids) knownIds.set(name, id);
      for (const endpoint of model.endpoints) {
        if (endpoint.exists) endpoint.secret ??= secrets.get(signingSecretName(endpoint.name));
      }
    },
  };
}

function expected({ agents, endpoints }: Model, { ids, secrets }: Pick<View, 'ids' | 'secrets'>) {
  /** Returns the expected secret. Accepts any secret for an endpoint that is new. */
  const secretOf = ({ name, secret }: EndpointModel): string | undefined =>
    secret ?? secrets.get(signingSecretName(name));
  const withSecret = endpoints.filter(({ exists, secretIsShared }) => exists || secretIsShared);
  return {
    agents: agents.map((agent) => modelledAgent(agent, ids.get(agent.name))),
    endpoints: endpoints.map((endpoint) =>
      modelledEndpoint(endpoint, { id: ids.get(endpoint.name), secret: secretOf(endpoint) }),
    ),
    objects: [...agents, ...endpoints]
      .filter(({ exists }) => exists)
      .map(({ name }) => name)
      .sort(),
    secrets: Object.fromEntries(
      withSecret.map((endpoint) => [signingSecretName(endpoint.name), secretOf(endpoint)]),
    ),
    events: agents.reduce((sum, { log }) => sum + log.length, 0),
    leftInQueue: 0,
    trespasses: [],
  };
}

function seenAgent(name: string, object: Resource | undefined, tables: Tables) {
  const rows = tables.agents.filter((row) => row.name === name);
  const [row] = rows;
  const activations = tables.activations.filter(({ agent }) => agent === name);
  return {
    name,
    rowCount: rows.length,
    object: object && {
      ...seenObject(object, { row, idKey: 'agentId' }),
      activeVersion: object.status['activeVersion'] ?? null,
      latestVersion: object.status['latestVersion'] ?? 0,
      history: historyOf(object),
    },
    row: row && {
      id: row.id,
      isDeleted: row.isDeleted,
      activeVersion: row.activeVersion,
      latestVersion: row.latestVersion,
      // The row of a deleted object stays unchanged, and nothing reads it.
      ...(!row.isDeleted && { ready: readiness(row), prompt: row.prompt ?? undefined }),
    },
    versions: tables.versions.filter(({ agent }) => agent === name).map(({ line }) => line),
    log: activations.map(({ line }) => line),
    events: activations.map(({ event }) => event),
    queuedFor: activations.map(({ endpoints }) => endpoints),
  };
}

function modelledAgent(agent: AgentModel, id: string | undefined) {
  const { name, exists, hadRow, versions, log, active } = agent;
  const ready = readyOf(agent);
  const lines = log.map(({ line }) => line);
  const numbers = { activeVersion: active, latestVersion: versions.length };
  const history = lines.toReversed().slice(0, HISTORY_LIMIT);
  return {
    name,
    rowCount: hadRow ? 1 : 0,
    object: exists ? { ...modelledObject('agt', { id, ready }), ...numbers, history } : undefined,
    row: hadRow
      ? { id, isDeleted: !exists, ...numbers, ...(exists && { ready, prompt: promptOf(agent) }) }
      : undefined,
    versions: versions.map((prompt, index) => `${index + 1} ${prompt}`),
    log: lines,
    events: lines,
    queuedFor: log.map(({ endpoints }) => [...endpoints].sort()),
  };
}

function seenEndpoint(
  name: string,
  deps: {
    object: Resource | undefined;
    rows: EndpointTableRow[];
    open: (row: EndpointTableRow) => string | null;
  },
) {
  const { object, rows } = deps;
  const [row] = rows;
  return {
    name,
    rowCount: rows.length,
    object: object && {
      ...seenObject(object, { row, idKey: 'endpointId' }),
      health: object.status['health'],
    },
    row: row && {
      id: row.id,
      isDeleted: row.isDeleted,
      secret: deps.open(row),
      ...(!row.isDeleted && {
        ready: readiness(row),
        url: row.url,
        description: row.description,
        eventTypes: row.eventTypes,
        suspended: !row.enabled,
      }),
    },
  };
}

function modelledEndpoint(
  { name, exists, hadRow, declared }: EndpointModel,
  { id, secret }: { id: string | undefined; secret: string | undefined },
) {
  // No delivery role runs, so no delivery was attempted.
  const health = declared.suspended ? 'Disabled' : 'Unknown';
  const ready = `True ${declared.suspended ? 'Suspended' : 'InForce'}`;
  return {
    name,
    rowCount: hadRow ? 1 : 0,
    object: exists ? { ...modelledObject('we', { id, ready }), health } : undefined,
    row: hadRow
      ? {
          id,
          isDeleted: !exists,
          secret: exists ? secret : null,
          ...(exists && { ready, ...declared }),
        }
      : undefined,
  };
}

/**
 * Returns the properties that both kinds share: the owner of the row, and whether the operator has observed the latest
 * declaration.
 */
function seenObject(
  { metadata, status }: Resource,
  { row, idKey }: { row: Pick<AgentTableRow, 'uid' | 'generation'> | undefined; idKey: string },
) {
  const { Ready } = conditionsOf({ status } as Resource); // `conditionsOf` reads only the status.
  return {
    annotation: metadata.annotations[ANNOTATIONS.id],
    id: status[idKey],
    isObserved: [status['observedGeneration'], Ready?.observedGeneration].every(
      (generation) => generation === metadata.generation,
    ),
    isProjected: row?.uid === metadata.uid && row.generation === metadata.generation,
    ready: `${Ready?.status} ${Ready?.reason}`,
  };
}

function modelledObject(
  prefix: IdPrefix,
  { id, ready }: { id: string | undefined; ready: string },
) {
  const publicId = id === undefined ? undefined : fromUuid(prefix, id);
  return { annotation: publicId, id: publicId, isObserved: true, isProjected: true, ready };
}

/** Schema of the history in a status. */
const historySchema = z
  .array(
    z.object({
      action: z.string(),
      fromVersion: z.int().nullable().default(null),
      version: z.int(),
      actor: z.string(),
    }),
  )
  .default([]);

function historyOf({ status }: Resource): string[] {
  return historySchema
    .parse(status['history'])
    .map((one) => `${one.action} ${one.fromVersion}>${one.version} ${one.actor}`);
}

function readiness({ ready, reason }: { ready: boolean; reason: string }): string {
  return `${ready ? 'True' : 'False'} ${reason}`;
}

function secretsOf(secrets: readonly Resource[]): Map<string, string> {
  const data = z.object({ data: z.record(z.string(), z.string()) });
  return new Map(
    secrets.map(({ metadata, spec }) => [
      metadata.name,
      data.parse(spec).data[SIGNING_SECRET_KEY] ?? '',
    ]),
  );
}
