import { isDeepStrictEqual } from 'node:util';
import { isCoreKind } from '../resources/core-kinds.ts';
import type { Logger } from '../observability/logger.ts';
import {
  FieldConflictError,
  WriteConflictError,
  type Applied,
  type ApplyOptions,
  type ObjectKey,
  type Resource,
  type ResourceStore,
} from '../resources/resource-store.ts';
import { APPLY_PATCH, MERGE_PATCH, type KubeClient, type KubeRequest } from './client.ts';
import { isKubeError } from './kube-error.ts';
import { createListWatch, list } from './list-watch.ts';
import { createObjectCache, type CacheChange, type ObjectCache } from './object-cache.ts';
import { toStoreError } from './refusals.ts';
import { collectionPath, objectPath, pathOf } from './resource-paths.ts';
import { toResource } from './to-resource.ts';

/**
 * Declared things in the API server.
 *
 * A kind of ours that is watched is read from the watch's cache: no request, and never older than
 * the last write through this store. Secrets and ConfigMaps are watched by their metadata only and
 * read when they are needed: a cluster may have thousands of them that are none of our business.
 * Without a watch (the API role) every read asks the server.
 *
 * Requests: get 0 (watched) or 1; apply, annotate, patchStatus, delete 1 each; none for a status
 * that is equal.
 */
export type KubernetesResourceStoreDeps = {
  client: KubeClient;
  log: Logger;
  /** Whose objects are listed and watched; empty: those of all namespaces. */
  namespaces?: readonly string[];
};

const STATUS_MANAGER = 'parley-operator';
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
/** No object is ever at this version: asking for it means "it must not exist". */
const NO_VERSION = '1';

export function createKubernetesResourceStore(deps: KubernetesResourceStoreDeps): ResourceStore {
  const { client, log, namespaces = [] } = deps;
  const caches = new Map<string, ObjectCache<Resource>>();

  /** The watched objects of a kind of ours, once all of them are known. */
  const cacheOf = (kind: string): ObjectCache<Resource> | undefined =>
    isCoreKind(kind) ? undefined : caches.get(kind);

  async function read(kind: string, key: ObjectKey): Promise<Resource | undefined> {
    const cache = cacheOf(kind);
    if (cache) return cache.get(key);
    const get = client.request({ method: 'GET', path: objectPath(kind, key) });
    const found = await translated(unlessMissing(get));
    return found === undefined ? undefined : toResource(kind, found);
  }

  async function write(kind: string, request: KubeRequest): Promise<Resource> {
    return toResource(kind, await client.request(request));
  }

  /** A write of the operator's own, which it need not be told of and must read at once. */
  async function note(kind: string, request: KubeRequest): Promise<void> {
    const resource = await translated(unlessMissing(write(kind, request)));
    if (resource) cacheOf(kind)?.wrote(resource);
  }

  /**
   * One list-watch per namespace, or one for all. Nothing is told before all have been listed: a
   * reader must never take an object for gone that is only not there yet.
   */
  const watch: ResourceStore['watch'] = (kind, { onChange, onSynced }) => {
    const scopes = namespaces.length === 0 ? [undefined] : namespaces;
    let synced = false;
    const watches = scopes.map((namespace) => {
      const cache = createObjectCache<Resource>({
        onChange: (change) => {
          if (synced && matters(change)) onChange({ kind, key: change.key });
        },
      });
      return { namespace, cache, watching: follow(kind, namespace, cache) };
    });
    const merged = mergeCaches(watches);
    void Promise.all(watches.map(({ watching }) => watching.synced)).then(() => {
      synced = true;
      caches.set(kind, merged);
      for (const { metadata } of merged.list()) {
        onChange({ kind, key: { namespace: metadata.namespace, name: metadata.name } });
      }
      onSynced();
    });
    for (const { watching } of watches) watching.start();
    return {
      stop: async () => {
        if (caches.get(kind) === merged) caches.delete(kind);
        await Promise.all(watches.map(({ watching }) => watching.stop()));
      },
    };
  };

  const follow = (kind: string, namespace: string | undefined, sink: ObjectCache<Resource>) =>
    createListWatch<Resource>({
      client,
      path: collectionPath(kind, namespace),
      ...(isCoreKind(kind) && { accept: { list: METADATA_LIST_ONLY, watch: METADATA_ONLY } }),
      convert: (raw) => toResource(kind, raw),
      sink,
      log,
    });

  return {
    get: read,
    list: async (kind, namespace) => {
      const cache = cacheOf(kind);
      if (cache) return cache.list(namespace);
      const convert = (raw: unknown): Resource => toResource(kind, raw);
      const path = collectionPath(kind, namespace);
      return (await translated(list<Resource>({ client, path, convert, log }))).items;
    },
    apply: (applied, options) =>
      translated(write(applied.kind, applyRequest(applied, options))).catch((error: unknown) => {
        // Of two reasons to refuse, the server names the fields; what must not exist has none.
        if (options.resourceVersion !== '' || !(error instanceof FieldConflictError)) throw error;
        throw new WriteConflictError('there is an object of that name', { cause: error });
      }),
    annotate: async (kind, key, annotations) => {
      const { namespace, name } = key;
      const known = await read(kind, key);
      if (!known) return;
      // With the version that was read: of two who choose an id, one must lose.
      const { resourceVersion } = known.metadata;
      await note(kind, {
        method: 'PATCH',
        path: objectPath(kind, { namespace, name }),
        query: { fieldManager: STATUS_MANAGER },
        contentType: MERGE_PATCH,
        body: { metadata: { resourceVersion, annotations } },
      });
    },
    patchStatus: async (kind, { namespace, name, uid }, status) => {
      const known = await read(kind, { namespace, name });
      if (known?.metadata.uid !== uid || isDeepStrictEqual(known.status, status)) return;
      // The version is a fence too: a leader of the past, with a cache of the past, is refused.
      const { resourceVersion } = known.metadata;
      await note(kind, {
        method: 'PATCH',
        path: `${objectPath(kind, { namespace, name })}/status`,
        query: { fieldManager: STATUS_MANAGER, force: 'true' },
        contentType: APPLY_PATCH,
        body: {
          apiVersion: pathOf(kind).apiVersion,
          kind,
          metadata: { namespace, name, uid, resourceVersion },
          status,
        },
      });
    },
    delete: async (kind, key, { resourceVersion } = {}) => {
      const deleting = client.request({
        method: 'DELETE',
        path: objectPath(kind, key),
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          ...(resourceVersion !== undefined && { preconditions: { resourceVersion } }),
        },
      });
      return (await translated(unlessMissing(deleting))) !== undefined;
    },
    watch,
  };
}

function applyRequest(applied: Applied, options: ApplyOptions): KubeRequest {
  const { kind, namespace, name, spec, labels, annotations } = applied;
  const { fieldManager, resourceVersion } = options;
  return {
    method: 'PATCH',
    path: objectPath(kind, { namespace, name }),
    query: { fieldManager, force: 'false', fieldValidation: 'Strict' },
    contentType: APPLY_PATCH,
    body: {
      apiVersion: pathOf(kind).apiVersion,
      kind,
      metadata: {
        namespace,
        name,
        ...(labels && { labels }),
        ...(annotations && { annotations }),
        ...(resourceVersion !== undefined && {
          resourceVersion: resourceVersion === '' ? NO_VERSION : resourceVersion,
        }),
      },
      ...(isCoreKind(kind) ? encodeData(kind, spec) : { spec }),
    },
  };
}

/** A change of the status alone is our own doing and nobody's wish. */
function matters({ before, after }: CacheChange<Resource>): boolean {
  if (!before || !after) return true;
  const [a, b] = [before.metadata, after.metadata];
  return (
    // Secrets and ConfigMaps have no generation: any write may have changed their data.
    a.generation !== b.generation ||
    a.generation === 0 ||
    // One more manager may declare the same: then it is not the API's alone any more.
    !isDeepStrictEqual(before.owners, after.owners) ||
    !isDeepStrictEqual(a.annotations, b.annotations) ||
    !isDeepStrictEqual(a.labels, b.labels)
  );
}

type Scoped = { namespace: string | undefined; cache: ObjectCache<Resource> };

/** Several namespaces as one; each object is in the cache of its own. */
function mergeCaches(scopes: readonly Scoped[]): ObjectCache<Resource> {
  const [first] = scopes;
  if (scopes.length === 1 && first) return first.cache;
  const cacheFor = (namespace: string): ObjectCache<Resource> | undefined =>
    scopes.find((scope) => scope.namespace === namespace)?.cache;
  return {
    get: (key) => cacheFor(key.namespace)?.get(key),
    list: (namespace) =>
      namespace === undefined
        ? scopes.flatMap(({ cache }) => cache.list())
        : (cacheFor(namespace)?.list(namespace) ?? []),
    wrote: (item) => cacheFor(item.metadata.namespace)?.wrote(item),
    replace: () => undefined,
    upsert: () => undefined,
    remove: () => undefined,
  };
}

function encodeData(kind: string, { data = {} }: Record<string, unknown>) {
  if (kind !== 'Secret') return { data };
  const encoded = Object.entries(data as Record<string, string>).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  return { type: 'Opaque', data: Object.fromEntries(encoded) };
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isKubeError(error, 404)) return undefined;
    throw error;
  }
}

/** With the errors that `ResourceStore` promises. */
async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toStoreError(error);
  }
}
