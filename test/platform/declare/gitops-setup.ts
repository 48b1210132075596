import { pino } from 'pino';
import {
  APPLY_PATCH,
  MERGE_PATCH,
  type KubeClient,
} from '../../../src/platform/kubernetes/client.ts';
import { isKubeError } from '../../../src/platform/kubernetes/kube-error.ts';
import { createListWatch } from '../../../src/platform/kubernetes/list-watch.ts';
import { createObjectCache } from '../../../src/platform/kubernetes/object-cache.ts';
import { collectionPath, objectPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import { createKubernetesResourceStore } from '../../../src/platform/kubernetes/resource-store.ts';
import { toResource } from '../../../src/platform/kubernetes/to-resource.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import type { Kube } from '../kubernetes/kube.ts';
import { startApi, type Api, PATIENT_MS } from '../../roles/api/api-setup.ts';

/** The spec of an Agent's manifest, as in a repository with one file. */
export type Spec = Record<string, unknown>;

/** A tool that makes the cluster match a repository. Each call is one of its rounds. */
export type GitOps = {
  manager: string;
  reconcile: (kube: Kube, spec: Spec) => Promise<void>;
};

/** An object as the server has it, including its managed fields. */
type Live = {
  metadata: {
    resourceVersion: string;
    annotations?: Record<string, string>;
    managedFields: ManagedFields[];
  };
};
type ManagedFields = {
  manager: string;
  operation: 'Apply' | 'Update';
  subresource?: string;
  fieldsV1: Tree;
};
type Tree = { [key: string]: Tree };
type Json = Record<string, unknown>;

const KEY = { namespace: 'default', name: 'support' };
export const AGENT = objectPath('Agent', KEY);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const JSON_PATCH = 'application/json-patch+json';
const log = pino({ level: 'silent' });

/** REST API and operator on an API server, and access to the Agent `support`. */
export type Cluster = Api & {
  /** Returns the Agent after the operator has reconciled its current declaration. */
  settled: (name?: string) => Promise<Resource>;
  read: () => Promise<Resource | undefined>;
  /** Number of the operator's writes to the API server since the last `reset`. */
  operatorWrites: () => number;
  restartOperator: () => Promise<void>;
  /** Removes the declarations and their history, so that the next test starts with an empty installation. */
  reset: () => Promise<void>;
};

export async function startCluster(kube: Kube): Promise<Cluster> {
  let operatorWrites = 0;
  const operatorClient = kube.newClient({
    countRequest: (method) => {
      if (method !== 'GET') operatorWrites += 1;
    },
  });
  const newStore = (client: KubeClient) => createKubernetesResourceStore({ client, log });
  const api = await startApi({
    operator: false,
    projectionWaitMs: PATIENT_MS,
    store: newStore(kube.client),
  });
  const startOperator = () => api.engine.startOperator({ store: newStore(operatorClient) });
  let operator = await startOperator();
  const wakers = new Set<() => void>();
  const cache = createObjectCache<Resource>({
    onChange: () => wakers.forEach((wake) => wake()),
  });
  const watching = createListWatch<Resource>({
    client: kube.client,
    path: collectionPath('Agent'),
    convert: (raw) => toResource('Agent', raw),
    sink: cache,
    log,
  });
  watching.start();
  await watching.synced;
  const read = async (name = KEY.name): Promise<Resource | undefined> => {
    const found = await readLive(kube, name);
    return found && toResource('Agent', found);
  };
  return {
    ...api,
    read,
    operatorWrites: () => operatorWrites,
    restartOperator: async () => {
      await operator.stop();
      operator = await startOperator();
    },
    settled: async (name = KEY.name) => {
      const declared = await read(name);
      if (!declared) throw new Error('there is no such Agent');
      const { generation } = declared.metadata;
      for (;;) {
        const seen = cache.get({ ...KEY, name });
        const observed = seen?.status['observedGeneration'];
        if (
          seen &&
          seen.metadata.generation >= generation &&
          observed === seen.metadata.generation
        ) {
          return seen;
        }
        await new Promise<void>((resolve) => {
          wakers.add(() => resolve());
        });
        wakers.clear();
      }
    },
    reset: async () => {
      await kube.deleteAll();
      const { pool } = api.engine;
      await api.engine.eventually(async () => {
        const { rowCount } = await pool.query('select 1 from agents where deleted_at is null');
        return rowCount === 0 && cache.list().length === 0;
      });
      await pool.query('truncate agents, deleted_agents, events, delivery_queue cascade');
      operatorWrites = 0;
    },
    stop: async () => {
      await watching.stop();
      await api.stop();
      await kube.deleteAll();
    },
  };
}

async function readLive(kube: Kube, name = KEY.name): Promise<Live | undefined> {
  const path = objectPath('Agent', { ...KEY, name });
  try {
    return (await kube.client.request({ method: 'GET', path })) as Live;
  } catch (error) {
    if (isKubeError(error, 404)) return undefined;
    throw error;
  }
}

async function serverSideApply(
  kube: Kube,
  spec: Spec,
  { manager, force = false }: { manager: string; force?: boolean },
): Promise<void> {
  await kube.client.request({
    method: 'PATCH',
    path: AGENT,
    query: { fieldManager: manager, force: String(force) },
    contentType: APPLY_PATCH,
    body: manifest(spec),
  });
}

/** Sends `kubectl patch --type merge --field-manager=…`. Without the flag kubectl names itself `kubectl-patch`. */
export async function mergePatch(kube: Kube, body: unknown, manager: string): Promise<void> {
  const query = { fieldManager: manager };
  const contentType = MERGE_PATCH;
  await kube.client.request({ method: 'PATCH', path: AGENT, query, contentType, body });
}

/** Applies as `kubectl apply` does by default: an annotation keeps the last manifest. */
async function clientSideApply(kube: Kube, spec: Spec, manager: string): Promise<void> {
  const query = { fieldManager: manager };
  const plain = manifest(spec);
  const annotations = { [LAST_APPLIED]: JSON.stringify(plain) };
  const modified: Json = { ...plain, metadata: { ...plain.metadata, annotations } };
  const live = await readLive(kube);
  if (!live) {
    const path = collectionPath('Agent', KEY.namespace);
    await kube.client.request({ method: 'POST', path, query, body: modified });
    return;
  }
  const original = JSON.parse(live.metadata.annotations?.[LAST_APPLIED] ?? '{}') as Json;
  const patch = threeWayPatch({ original, modified, live });
  if (Object.keys(patch).length > 0) await mergePatch(kube, patch, manager);
}

/**
 * kustomize-controller. Before each server-side apply with force, it takes over the entries of some managers, such as
 * kubectl's (fluxcd/pkg/ssa, PatchReplaceFieldsManagers). Its apply then drops each field that the repository does not
 * have.
 */
export const FLUX: GitOps = {
  manager: 'kustomize-controller',
  reconcile: async (kube, spec) => {
    const live = await readLive(kube);
    if (live) await rescue(kube, live);
    await serverSideApply(kube, spec, { manager: FLUX.manager, force: true });
  },
};

/** Flux compares the beginning of names, so `kubectl-patch` and `kubectl-edit` match too. */
const TAKEN_OVER = [
  { manager: 'kubectl', operation: 'Apply' },
  { manager: 'kubectl', operation: 'Update' },
  { manager: 'before-first-apply', operation: 'Update' },
  { manager: 'kustomize-controller', operation: 'Update' },
];

async function rescue(kube: Kube, { metadata }: Live): Promise<void> {
  const isOwn = ({ manager, operation }: ManagedFields): boolean =>
    manager === FLUX.manager && operation === 'Apply';
  const isTaken = (entry: ManagedFields): boolean =>
    entry.subresource === undefined &&
    TAKEN_OVER.some(
      ({ manager, operation }) =>
        entry.manager.startsWith(manager) && entry.operation === operation,
    );
  const entries = metadata.managedFields;
  const taken = entries.filter(isTaken);
  const hasAnnotation = metadata.annotations?.[LAST_APPLIED] !== undefined;
  if (taken.length === 0 && !hasAnnotation) return;
  const [first = taken[0]!, ...rest] = [...entries.filter(isOwn), ...taken];
  const own = {
    ...first,
    manager: FLUX.manager,
    operation: 'Apply',
    fieldsV1: rest.reduce((all, { fieldsV1 }) => union(all, fieldsV1), first.fieldsV1),
  };
  const kept = entries.filter((entry) => !isTaken(entry) && !isOwn(entry));
  await kube.client.request({
    method: 'PATCH',
    path: AGENT,
    query: { fieldManager: FLUX.manager },
    contentType: JSON_PATCH,
    body: [
      ...(hasAnnotation
        ? [{ op: 'remove', path: `/metadata/annotations/${LAST_APPLIED.replace('/', '~1')}` }]
        : []),
      { op: 'replace', path: '/metadata/managedFields', value: [...kept, own] },
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    ],
  });
}

function union(a: Tree, b: Tree): Tree {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(keys.map((key) => [key, union(a[key] ?? {}, b[key] ?? {})]));
}

/** Argo CD with self-heal, by default and with `ServerSideApply=true`. */
export const ARGO: GitOps = {
  manager: 'argocd-controller',
  reconcile: (kube, spec) => clientSideApply(kube, spec, ARGO.manager),
};
export const ARGO_SERVER_SIDE: GitOps = {
  manager: 'argocd-controller',
  reconcile: (kube, spec) => serverSideApply(kube, spec, { manager: ARGO.manager, force: true }),
};

/** Helm 4, which applies server-side and stops at a conflict. */
export const HELM: GitOps = {
  manager: 'helm',
  reconcile: (kube, spec) => serverSideApply(kube, spec, { manager: HELM.manager }),
};
export const KUBECTL: GitOps = {
  manager: 'kubectl-client-side-apply',
  reconcile: (kube, spec) => clientSideApply(kube, spec, KUBECTL.manager),
};
export const KUBECTL_SERVER_SIDE: GitOps = {
  manager: 'kubectl',
  reconcile: (kube, spec) => serverSideApply(kube, spec, { manager: 'kubectl' }),
};

function manifest(spec: Spec) {
  return { apiVersion: 'parley.dev/v1alpha1', kind: 'Agent', metadata: KEY, spec };
}

/**
 * Returns the patch of k8s.io/apimachinery jsonmergepatch.CreateThreeWayJSONMergePatch. It sets missing and different
 * fields, and removes only fields that the last manifest had and this one lacks.
 */
function threeWayPatch(of: { original: Json; modified: Json; live: Json }): Json {
  const sets = filterNulls(diff(of.live, of.modified), false);
  const removes = filterNulls(diff(of.original, of.modified), true);
  return mergeDeep(sets, removes);
}

/** Returns the JSON merge patch from one object to the other. */
function diff(from: Json, to: Json): Json {
  const patch: Json = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[key], to[key]];
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    const inner = isObject(before) && isObject(after) ? diff(before, after) : undefined;
    if (inner === undefined) patch[key] = after ?? null;
    else if (Object.keys(inner).length > 0) patch[key] = inner;
  }
  return patch;
}

/** Returns the removals of a merge patch, or everything except them. */
function filterNulls(patch: Json, nulls: boolean): Json {
  const kept = Object.entries(patch).flatMap(([key, value]): [string, unknown][] => {
    if (!isObject(value)) return (value === null) === nulls ? [[key, value]] : [];
    const inner = filterNulls(value, nulls);
    return Object.keys(inner).length > 0 ? [[key, inner]] : [];
  });
  return Object.fromEntries(kept);
}

function mergeDeep(a: Json, b: Json): Json {
  const merged = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = merged[key];
    merged[key] = isObject(known) && isObject(value) ? mergeDeep(known, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
