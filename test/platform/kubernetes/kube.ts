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

/** A real API server with our CRDs in it, and clients for it. */
export type Kube = KubeApi & {
  client: KubeClient;
  credentials: KubeCredentials;
  /** One more, with connections of its own. */
  newClient: (options?: { countRequest?: (method: string, code: string) => void }) => KubeClient;
  /** A kubeconfig for it, as text. */
  kubeconfig: string;
  /** Server-side apply of a manifest, in namespace default unless it names one. */
  kubectlApply: (manifest: Manifest, fieldManager?: string) => Promise<unknown>;
  /** Every object of our kinds, and every Secret and ConfigMap, in all namespaces. */
  deleteAll: () => Promise<void>;
  /** May be there already. */
  makeNamespace: (name: string) => Promise<void>;
  /** Ends one's own server; gives back a borrowed one. */
  stop: () => Promise<void>;
};

/** One of a test file's own, which it may break. */
export type OwnKube = Kube & KubeApiserver;

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  [field: string]: unknown;
};

/** A server of the test's own, ready in about six seconds; most are content to borrow one. */
export async function startKube(choices: ServerChoices = {}): Promise<OwnKube> {
  const server = await startKubeApiserver(await findKubeBinaries(), choices);
  const kube = connectKube(server, server.stop);
  await installCrds(kube.client);
  return { ...server, ...kube };
}

/**
 * A server for this test file alone until it calls `stop`, but one that other files had before:
 * what they declared is gone, the namespaces they made are still there.
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

/** For whoever has the token. */
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
  // The API server has no signal for "the handler is in place" but its answers.
  await Promise.all(
    KINDS.map(async ({ kind }) => {
      const get = { method: 'GET', path: collectionPath(kind) } as const;
      await until(`the collection of ${kind}`, () => client.request(get).catch(() => undefined));
    }),
  );
}
