import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { monotonicMs } from '../clock.ts';
import { createKubeClient, type KubeClient } from '../platform/kubernetes/client.ts';
import { loadCredentials, type KubeCredentials } from '../platform/kubernetes/credentials.ts';
import { createEventRecorder } from '../platform/kubernetes/event-recorder.ts';
import { createLeaseElector } from '../platform/kubernetes/lease-elector.ts';
import { pathOf } from '../platform/kubernetes/resource-paths.ts';
import { createKubernetesResourceStore } from '../platform/kubernetes/resource-store.ts';
import type { Config } from '../config.ts';
import type { Elect } from './operator/terms.ts';
import type { RecordEvent, ResourceStore } from '../platform/resources/resource-store.ts';
import { raiseEpoch } from '../platform/postgres/leadership.ts';
import type { Context } from './context.ts';

/**
 * Services for declared objects in a cluster: the store, which uses the Kubernetes API server, leader election with a
 * Lease, and Events.
 */
export type KubernetesDeclarations = {
  store: ResourceStore;
  namespaces: readonly string[];
  elect: Elect;
  record: RecordEvent;
  close: () => Promise<void>;
};

const COMPONENT = 'parley-operator';
const nowMs = (): number => monotonicMs();

/**
 * Creates the services for declared objects in a cluster.
 * @throws StartupError if no cluster can be reached
 */
export async function createKubernetesDeclarations(
  config: Pick<Config, 'kubernetesService' | 'watchNamespaces'>,
  context: Pick<Context, 'pool' | 'metrics' | 'log'>,
): Promise<KubernetesDeclarations> {
  const { pool, log, metrics } = context;
  const namespaces = config.watchNamespaces;
  const credentials = await loadCredentials({ service: config.kubernetesService, nowMs });
  const countRequest = (method: string, code: string): void =>
    metrics.restClientRequests.inc({ method, code });
  const client = createKubeClient({ credentials, countRequest });
  // The host name alone is not unique: two containers on one host may share it.
  const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const recorder = createEventRecorder({
    client,
    reportingController: `parley.dev/${COMPONENT}`,
    reportingInstance: hostname(),
    log,
    nowMs,
  });
  return {
    store: createKubernetesResourceStore({ client, log, namespaces }),
    namespaces,
    elect: electBy({
      pool,
      log,
      client,
      identity,
      namespace: credentials.namespace,
      storeId: storeIdOf(credentials),
    }),
    record: ({ kind, metadata }, event) =>
      recorder.record({ kind, apiVersion: pathOf(kind).apiVersion, ...metadata }, event),
    close: async () => {
      await recorder.stop();
      await client.close();
    },
  };
}

/**
 * Elects a leader. The Lease decides which process is the leader. Each change of leader also increments the epoch in
 * the database, which prevents a former leader from writing. Unlike the Lease, the epoch does not depend on clocks. The
 * epoch therefore also stops a leader that was paused and replaced from writing when it resumes.
 */
function electBy({
  pool,
  log,
  client,
  namespace,
  identity,
  storeId,
}: {
  client: KubeClient;
  namespace: string;
  identity: string;
  storeId: string;
} & Pick<Context, 'pool' | 'log'>): Elect {
  return ({ onLead, onLost }) =>
    createLeaseElector({
      client,
      namespace,
      identity,
      log,
      name: COMPONENT,
      nowMs,
      onLead: async (resign) => onLead(await raiseEpoch(pool, storeId), resign),
      onLost,
    });
}

/**
 * Returns an ID that distinguishes clusters. It is derived from the cluster's CA certificate, because each cluster has
 * its own certificate, and reading it needs no permission. Without a certificate, the server's address is used.
 */
function storeIdOf({ tls, server }: KubeCredentials): string {
  const digest = createHash('sha256').update(tls.ca ?? server);
  return `kubernetes:${digest.digest('hex').slice(0, 16)}`;
}
