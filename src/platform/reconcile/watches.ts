import { reasonOf } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { CORE_KINDS } from '../resources/schema/core-kinds.ts';
import type { ObjectKey, Resource, ResourceStore } from '../resources/resource-store.ts';

/** The parts of a kind that the watches need. */
export type WatchedKind = {
  kind: string;
  /**
   * True if other objects may use objects of this kind. In that case, the objects that use a changed object are
   * reconciled too.
   */
  isReferred?: boolean;
  uses: (object: Resource, kind: string, name: string) => boolean;
};

export type Watches = {
  /** Resolves when all existing objects have been listed. */
  synced: Promise<void>;
  isSynced: () => boolean;
  /** Resolves when the cached objects of the registered kinds are at least as recent as this call. */
  refresh: () => Promise<void>;
  /** Reports an object to `onChange` if this store contains it. Also reports all objects that use it. */
  look: (kind: string, key: ObjectKey) => void;
  stop: () => Promise<void>;
};

export type WatchesDeps = {
  store: Pick<ResourceStore, 'watch' | 'list'>;
  kinds: readonly WatchedKind[];
  /** Called for each object to reconcile, but not before `synced`. */
  onChange: (kind: string, key: ObjectKey) => void;
  log: Logger;
};

/**
 * Watches the registered kinds and the objects to which they refer. The watches run whether or not this process is the
 * leader, so that a new leader already has all objects.
 */
export function startWatches({ store, kinds, onChange, log }: WatchesDeps): Watches {
  let isSynced = false;

  /** Queues the objects that use the changed object, so that they can become ready without being changed themselves. */
  async function lookAtUsers(referred: string, { namespace, name }: ObjectKey): Promise<void> {
    for (const { kind, uses } of kinds) {
      const users = await store.list(kind, namespace);
      for (const object of users.filter((one) => uses(one, referred, name))) {
        onChange(kind, object.metadata);
      }
    }
  }

  const healUsers = (kind: string, key: ObjectKey): void => {
    lookAtUsers(kind, key).catch((error: unknown) =>
      log.warn(
        { reason: reasonOf(error) },
        'cannot look up the objects that refer to a changed object',
      ),
    );
  };

  async function lookAtObject(kind: string, key: ObjectKey): Promise<void> {
    const objects = await store.list(kind, key.namespace);
    if (objects.some(({ metadata }) => metadata.name === key.name)) onChange(kind, key);
  }

  const follow = (kind: string, onKey: (key: ObjectKey) => void) => {
    const listed = Promise.withResolvers<void>();
    const { refresh, stop } = store.watch(kind, {
      onChange: ({ key }) => onKey(key),
      onSynced: listed.resolve,
    });
    return { refresh, stop, synced: listed.promise };
  };

  const own = kinds.map(({ kind, isReferred }) =>
    follow(kind, (key) => {
      if (!isSynced) return; // Nothing is queued before `synced`, because a term lists all objects when it begins.
      onChange(kind, key);
      if (isReferred) healUsers(kind, key);
    }),
  );
  const referred = CORE_KINDS.map((kind) =>
    follow(kind, (key) => {
      if (isSynced) healUsers(kind, key);
    }),
  );
  const all = [...own, ...referred];
  const synced = Promise.all(all.map((watch) => watch.synced)).then(() => {
    isSynced = true;
  });
  return {
    synced,
    isSynced: () => isSynced,
    refresh: async () => {
      // Only objects of the registered kinds need a refresh, because Secrets and ConfigMaps are read from the server on
      // each use.
      await Promise.all(own.map((watch) => watch.refresh()));
    },
    look: (kind, key) => {
      if (!isSynced) return;
      lookAtObject(kind, key).catch((error: unknown) =>
        log.warn({ reason: reasonOf(error) }, 'cannot look up an object'),
      );
      healUsers(kind, key);
    },
    stop: async () => {
      await Promise.all(all.map((watch) => watch.stop()));
    },
  };
}
