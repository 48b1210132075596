import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createKubeClient, type KubeClient } from '../../src/kubernetes/client.ts';
import type { KubeCredentials } from '../../src/kubernetes/credentials.ts';
import { list } from '../../src/kubernetes/list-watch.ts';
import { collectionPath, objectPath } from '../../src/kubernetes/resource-paths.ts';
import { toResource } from '../../src/kubernetes/to-resource.ts';
import { CORE_KINDS } from '../../src/resources/core-kinds.ts';
import { crdFileName } from '../../src/resources/crd.ts';
import { KINDS } from '../../src/resources/kinds.ts';
import { startKubeApiserver, type KubeApiserver } from './kube-apiserver.ts';
import { findKubeBinaries } from './kube-binaries.ts';

/** A real API server with our CRDs in it, and clients for it. */
export type Kube = KubeApiserver & {
  client: KubeClient;
  credentials: KubeCredentials;
  /** One more, with connections of its own. */
  newClient: (options?: { countRequest?: (method: string, code: string) => void }) => KubeClient;
  /** Every object of our kinds, and every Secret and ConfigMap, in all namespaces. */
  deleteAll: () => Promise<void>;
};

export async function startKube(): Promise<Kube> {
  const server = await startKubeApiserver(await findKubeBinaries());
  const credentials: KubeCredentials = {
    server: server.url,
    tls: { ca: server.caCert },
    headers: async () => ({ authorization: `Bearer ${server.token}` }),
    namespace: 'default',
  };
  const clients: KubeClient[] = [];
  const newClient: Kube['newClient'] = (options = {}) => {
    const client = createKubeClient({ credentials, ...options });
    clients.push(client);
    return client;
  };
  const client = newClient();
  await installCrds(client);
  return {
    ...server,
    client,
    credentials,
    newClient,
    deleteAll: () => deleteAll(client),
    stop: async () => {
      await Promise.all(clients.map((one) => one.close()));
      await server.stop();
    },
  };
}

async function deleteAll(client: KubeClient): Promise<void> {
  for (const kind of [...KINDS.map(({ kind: name }) => name), ...CORE_KINDS]) {
    const { items } = await list({
      client,
      path: collectionPath(kind),
      convert: (raw) => toResource(kind, raw),
      log: { warn: () => undefined },
    });
    for (const { metadata } of items) {
      await client.request({ method: 'DELETE', path: objectPath(kind, metadata) });
    }
  }
}

async function installCrds(client: KubeClient): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of KINDS) {
    const file = new URL(`../../crds/${crdFileName(definition)}`, import.meta.url);
    const { parse } = await import('yaml');
    const body: unknown = parse(readFileSync(file, 'utf8'));
    await client.request({ method: 'POST', path, body });
  }
  // The API server has no signal for "the handler is in place" but its answers.
  await Promise.all(
    KINDS.map(async ({ kind }) => {
      const get = { method: 'GET', path: collectionPath(kind) } as const;
      while ((await client.request(get).catch(() => undefined)) === undefined) await delay(50);
    }),
  );
}
