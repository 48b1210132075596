import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import {
  APPLY_PATCH,
  createKubeClient,
  type KubeClient,
} from '../../../src/platform/kubernetes/client.ts';
import type { KubeCredentials } from '../../../src/platform/kubernetes/credentials.ts';
import { isKubeError } from '../../../src/platform/kubernetes/kube-error.ts';
import { list } from '../../../src/platform/kubernetes/list-watch.ts';
import { collectionPath, objectPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import { toResource } from '../../../src/platform/kubernetes/to-resource.ts';
import { CORE_KINDS } from '../../../src/platform/resources/schema/core-kinds.ts';
import { crdFileName } from '../../../src/platform/resources/schema/crd.ts';
import { KINDS } from '../../../src/roles/kinds.ts';
import {
  kubeRequester,
  startKubeApiserver,
  type KubeApi,
  type KubeApiserver,
  type ServerChoices,
} from './kube-apiserver.ts';
import { findKubeBinaries } from './kube-binaries.ts';
import { borrowServer } from './kube-lender.ts';
import { until } from '../../until.ts';

/** A real API server with our CRDs, and clients for it. */
export type Kube = KubeApi & {
  client: KubeClient;
  credentials: KubeCredentials;
  /** Creates another client with its own connections. */
  newClient: (options?: { countRequest?: (method: string, code: string) => void }) => KubeClient;
  /** A kubeconfig for the server, as text. */
  kubeconfig: string;
  /** Applies a manifest server-side. The namespace defaults to `default`. */
  kubectlApply: (manifest: Manifest, fieldManager?: string) => Promise<unknown>;
  /** Deletes every object of our kinds, and every Secret and ConfigMap, in all namespaces. */
  deleteAll: () => Promise<void>;
  /** Creates a namespace, unless it exists already. */
  makeNamespace: (name: string) => Promise<void>;
  /** Stops an own server, or returns a borrowed one. */
  stop: () => Promise<void>;
};

/** A server for one test file alone, which may break it. */
export type OwnKube = Kube & KubeApiserver;

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  [field: string]: unknown;
};

/** Starts a server for the test alone, in about six seconds. Most tests can borrow one instead. */
export async function startKube(choices: ServerChoices = {}): Promise<OwnKube> {
  const server = await startKubeApiserver(await findKubeBinaries(), choices);
  const kube = connectKube(server, server.stop);
  await installCrds(kube.client);
  return { ...server, ...kube };
}

/**
 * Borrows a server for this test file alone until it calls `stop`. Other files used it before: their declarations are
 * gone, but their namespaces remain.
 */
export async function borrowKube(): Promise<Kube> {
  const { server, giveBack } = await borrowServer();
  return connectKube({ ...server, request: kubeRequester(server) }, giveBack);
}

function connectKube(server: KubeApi, stop: () => Promise<void>): Kube {
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
  return {
    ...server,
    client,
    credentials,
    newClient,
    kubeconfig: kubeconfigOf(server),
    kubectlApply: (manifest, fieldManager = 'kubectl') => {
      const { name, namespace = 'default' } = manifest.metadata;
      return client.request({
        method: 'PATCH',
        path: objectPath(manifest.kind, { namespace, name }),
        query: { fieldManager, force: 'true', fieldValidation: 'Strict' },
        contentType: APPLY_PATCH,
        body: manifest,
      });
    },
    deleteAll: () => deleteAll(client),
    makeNamespace: (name) => makeNamespace(client, name),
    stop: async () => {
      await Promise.all(clients.map((one) => one.close()));
      await stop();
    },
  };
}

/** Returns a kubeconfig with the token. */
export function kubeconfigOf({ url, caCert, token }: Omit<KubeApi, 'request'>): string {
  const ca = Buffer.from(caCert).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } }],
  });
}

async function makeNamespace(client: KubeClient, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  try {
    await client.request({ method: 'POST', path: '/api/v1/namespaces', body });
  } catch (error) {
    if (!isKubeError(error, 409)) throw error;
  }
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
    const file = new URL(`../../../crds/${crdFileName(definition)}`, import.meta.url);
    const body: unknown = parse(readFileSync(file, 'utf8'));
    await client.request({ method: 'POST', path, body });
  }
  // Only its answers show that the API server serves a kind.
  await Promise.all(
    KINDS.map(async ({ kind }) => {
      const get = { method: 'GET', path: collectionPath(kind) } as const;
      await until(`the collection of ${kind}`, () => client.request(get).catch(() => undefined));
    }),
  );
}
