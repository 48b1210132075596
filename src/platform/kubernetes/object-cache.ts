import type { ObjectKey } from '../resources/resource-store.ts';
import type { Sink } from './list-watch.ts';

/** Fields that an object needs in order to be stored in the cache. */
export type Identified = { metadata: ObjectKey & { uid: string; resourceVersion: string } };

/**
 * A change of one object from `before` to `after`. If an object is deleted and created again under the same name, that
 * counts as two changes.
 */
export type CacheChange<T> = { key: ObjectKey; before: T | undefined; after: T | undefined };

/**
 * Cache of the objects in one collection as last received, by namespace and name. The cache compares uids: if an object
 * was deleted and created again while the watch was interrupted, the cache reports a deletion and an addition instead
 * of a change. Objects are frozen, because they are shared.
 */
export type ObjectCache<T> = Sink<T> & {
  get: (key: ObjectKey) => T | undefined;
  list: (namespace?: string) => T[];
  /**
   * Stores the response to one of this process's own writes. The writer can then read the new version before the watch
   * reports it. If the object is not in the cache, it was deleted in the meantime, so the response is not stored.
   */
  wrote: (item: T) => void;
};

export function createObjectCache<T extends Identified>(deps: {
  onChange: (change: CacheChange<T>) => void;
}): ObjectCache<T> {
  const byNamespace = new Map<string, Map<string, T>>();

  const find = ({ namespace, name }: ObjectKey): T | undefined =>
    byNamespace.get(namespace)?.get(name);

  function put(item: T): void {
    const { namespace, name } = item.metadata;
    const inNamespace = byNamespace.get(namespace) ?? new Map<string, T>();
    byNamespace.set(namespace, inNamespace.set(name, deepFreeze(item)));
  }

  function drop({ namespace, name }: ObjectKey): void {
    const inNamespace = byNamespace.get(namespace);
    inNamespace?.delete(name);
    if (inNamespace?.size === 0) byNamespace.delete(namespace);
  }

  function report(before: T | undefined, after: T | undefined): void {
    const { namespace, name } = (after ?? before)!.metadata; // At least one of `before` and `after` is defined.
    deps.onChange({ key: { namespace, name }, before, after });
  }

  function store(before: T | undefined, item: T): void {
    put(item);
    if (before && before.metadata.uid !== item.metadata.uid) {
      report(before, undefined);
      report(undefined, item);
    } else if (before?.metadata.resourceVersion !== item.metadata.resourceVersion) {
      report(before, item);
    }
  }

  const list = (namespace?: string): T[] =>
    namespace === undefined
      ? [...byNamespace.values()].flatMap((inNamespace) => [...inNamespace.values()])
      : [...(byNamespace.get(namespace)?.values() ?? [])];

  return {
    get: find,
    list,
    replace: (items) => {
      const present = new Set(
        items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      );
      for (const gone of list()) {
        if (present.has(`${gone.metadata.namespace}/${gone.metadata.name}`)) continue;
        drop(gone.metadata);
        report(gone, undefined);
      }
      for (const item of items) store(find(item.metadata), item);
    },
    upsert: (item) => {
      const before = find(item.metadata);
      if (before && isOlder(item, before)) return; // `wrote` has already stored a newer version.
      store(before, item);
    },
    remove: (item) => {
      const before = find(item.metadata);
      if (!before || before.metadata.uid !== item.metadata.uid) return;
      drop(item.metadata);
      report(before, undefined);
    },
    wrote: (item) => {
      const before = find(item.metadata);
      if (before?.metadata.uid !== item.metadata.uid || isOlder(item, before)) return;
      put(item); // Not reported, because the writer already knows the change.
    },
  };
}

/**
 * Returns true if `a` is an older version of the same object. Versions always increase, which Kubernetes guarantees
 * since 1.35.
 */
function isOlder(a: Identified, b: Identified): boolean {
  const [left, right] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  if (a.metadata.uid !== b.metadata.uid) return false;
  return left.length === right.length ? left < right : left.length < right.length;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
