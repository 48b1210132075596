import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Logger } from '../observability/logger.ts';
import { isCoreKind } from '../resources/schema/core-kinds.ts';
import type { Resource, ResourceStore } from '../resources/resource-store.ts';
import type { KubeClient } from './client.ts';
import { createListWatch } from './list-watch.ts';
import { createObjectCache, type CacheChange, type ObjectCache } from './object-cache.ts';
import { collectionPath } from './resource-paths.ts';
import { toResource } from './to-resource.ts';

type WatchedCache = Pick<ObjectCache<Resource>, 'get' | 'list' | 'wrote'>;

export type WatchedKinds = {
  /**
   * Returns the cached objects of a kind. Returns undefined if the content of this kind is not watched, or if its
   * objects have not all been listed yet.
   */
  cacheOf: (kind: string) => WatchedCache | undefined;
  /**
   * Starts one list-watch for each configured namespace, or a single list-watch for all namespaces. Reports nothing
   * until all objects have been listed, because an object that has not arrived yet would look like a deleted object.
   */
  watch: ResourceStore['watch'];
};

export type WatchedKindsDeps = {
  client: KubeClient;
  log: Logger;
  /** Namespaces to watch. An empty list means all namespaces. */
  namespaces: readonly string[];
};

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

export function createWatchedKinds({ client, log, namespaces }: WatchedKindsDeps): WatchedKinds {
  const caches = new Map<string, WatchedCache>();

  const follow = (kind: string, namespace: string | undefined, sink: ObjectCache<Resource>) =>
    createListWatch<Resource>({
      client,
      path: collectionPath(kind, namespace),
      ...(isCoreKind(kind) && { accept: { list: METADATA_LIST_ONLY, watch: METADATA_ONLY } }),
      convert: (raw) => unchanged(sink, raw) ?? toResource(kind, raw),
      sink,
      log,
    });

  return {
    // Only the metadata of Secrets and ConfigMaps is watched, so their contents cannot be read from a cache.
    cacheOf: (kind) => (isCoreKind(kind) ? undefined : caches.get(kind)),
    watch: (kind, { onChange, onSynced }) => {
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
        refresh: async () => {
          await Promise.all(watches.map(({ watching }) => watching.refresh()));
        },
        stop: async () => {
          if (caches.get(kind) === merged) caches.delete(kind);
          await Promise.all(watches.map(({ watching }) => watching.stop()));
        },
      };
    },
  };
}

const identified = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
  }),
});

/**
 * Returns the cached object if the received object `raw` is the same version of that object. Without this check, each
 * new list would store a second copy of every object in memory.
 */
function unchanged(cache: ObjectCache<Resource>, raw: unknown): Resource | undefined {
  const { data } = identified.safeParse(raw);
  const known = data && cache.get(data.metadata);
  const isSame =
    known?.metadata.uid === data?.metadata.uid &&
    known?.metadata.resourceVersion === data?.metadata.resourceVersion;
  return isSame ? known : undefined;
}

/**
 * Returns true if a change affects the declaration, and false if it affects only the status, which this operator has
 * written itself.
 */
function matters({ before, after }: CacheChange<Resource>): boolean {
  if (!before || !after) return true;
  const [a, b] = [before.metadata, after.metadata];
  return (
    // Secrets and ConfigMaps have no generation, so any write may have changed their data.
    a.generation !== b.generation ||
    a.generation === 0 ||
    // Owners can change without a new generation. For example, if another manager declares the same value as the API,
    // the API is no longer the only owner.
    !isDeepStrictEqual(before.owners, after.owners) ||
    !isDeepStrictEqual(a.annotations, b.annotations) ||
    !isDeepStrictEqual(a.labels, b.labels)
  );
}

type Scoped = { namespace: string | undefined; cache: ObjectCache<Resource> };

/** Combines the caches of several namespaces. Each object stays in the cache of its own namespace. */
function mergeCaches(scopes: readonly Scoped[]): WatchedCache {
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
  };
}
