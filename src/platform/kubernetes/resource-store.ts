import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../observability/logger.ts';
import {
  FieldConflictError,
  WriteConflictError,
  type ObjectKey,
  type Resource,
  type ResourceStore,
} from '../resources/resource-store.ts';
import type { KubeClient, KubeRequest } from './client.ts';
import { isKubeError } from './kube-error.ts';
import { list } from './list-watch.ts';
import { toStoreError } from './refusals.ts';
import { collectionPath, objectPath } from './resource-paths.ts';
import { toResource } from './to-resource.ts';
import { createWatchedKinds } from './watched-kinds.ts';
import { annotateRequest, applyRequest, deleteRequest, statusRequest } from './write-requests.ts';

/**
 * Dependencies of the store that keeps declared objects in the Kubernetes API server. Objects of Parley's own watched
 * kinds are read from the watch's cache, without a request, and are never older than the last write through this store.
 * For Secrets and ConfigMaps, only the metadata is watched, and the content is read on demand, because a cluster may
 * have thousands of unrelated ones. Without a watch (in the API role), every read sends a request. Each write also
 * sends one request, except a `patchStatus` that changes nothing, which sends none.
 */
export type KubernetesResourceStoreDeps = {
  client: KubeClient;
  log: Logger;
  /** Namespaces whose objects are listed and watched; an empty list means all. */
  namespaces?: readonly string[];
};

export function createKubernetesResourceStore(deps: KubernetesResourceStoreDeps): ResourceStore {
  const { client, log, namespaces = [] } = deps;
  const { cacheOf, watch } = createWatchedKinds({ client, log, namespaces });

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

  /**
   * Performs one of the operator's own writes, and updates the cache with the response, so that the next read returns
   * the change. The watch does not report this change, because the operator already knows it.
   */
  async function note(kind: string, request: KubeRequest): Promise<void> {
    const resource = await translated(unlessMissing(write(kind, request)));
    if (resource) cacheOf(kind)?.wrote(resource);
  }

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
        // The caller required the object to be new (version ''), but an object with this name exists, and one of its
        // fields conflicts. The server reports only the field conflict.
        if (options.resourceVersion !== '' || !(error instanceof FieldConflictError)) throw error;
        throw new WriteConflictError('an object with that name already exists', { cause: error });
      }),
    annotate: async (kind, key, annotations) => {
      const known = await read(kind, key);
      if (known) await note(kind, annotateRequest(known, annotations));
    },
    patchStatus: async (kind, { uid, ...key }, status) => {
      const known = await read(kind, key);
      if (known?.metadata.uid !== uid || isDeepStrictEqual(known.status, status)) return;
      await note(kind, statusRequest(known, status));
    },
    delete: async (kind, key, { resourceVersion } = {}) => {
      const deleting = client.request(deleteRequest(kind, key, resourceVersion));
      return (await translated(unlessMissing(deleting))) !== undefined;
    },
    watch,
  };
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isKubeError(error, 404)) return undefined;
    throw error;
  }
}

/** Awaits a response, and converts its errors to those that `ResourceStore` documents. */
async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toStoreError(error);
  }
}
