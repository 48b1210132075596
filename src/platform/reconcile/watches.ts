import { reasonOf } from '../../errors.ts';
import { createSingleFlight } from '../controller/single-flight.ts';
import type { Logger } from '../observability/logger.ts';
import { CORE_KINDS } from '../resources/schema/core-kinds.ts';
import type { ObjectKey, Resource, ResourceStore } from '../resources/resource-store.ts';

/**
 * The kinds to which objects of a kind may refer, with a function that returns true if `object` refers to the object of
 * that kind with the given name. When such an object changes, the objects that refer to it are reconciled too. The kind
 * may be Secret or ConfigMap.
 */
export type Uses<Spec = Record<string, unknown>> = Readonly<
  Record<string, (object: Resource<Spec>, name: string) => boolean>
>;

/** The parts of a kind that the watches need. */
export type WatchedKind = { kind: string; uses: Uses };

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
  const users = createUserLooks({ store, kinds, onChange, log });

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

  const own = kinds.map(({ kind }) =>
    follow(kind, (key) => {
      if (!isSynced) return; // Nothing is queued before `synced`, because a term lists all objects when it begins.
      onChange(kind, key);
      users.look(kind, key);
    }),
  );
  const referred = CORE_KINDS.map((kind) =>
    follow(kind, (key) => {
      if (isSynced) users.look(kind, key);
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
      users.look(kind, key);
    },
    stop: async () => {
      await Promise.all(all.map((watch) => watch.stop()));
      await users.idle();
    },
  };
}

/**
 * Queues the objects that use a changed object, so that they can become ready without being changed themselves. A run
 * lists each kind once for all objects that have changed since the last run, because an import changes hundreds.
 */
function createUserLooks({ store, kinds, onChange, log }: WatchesDeps) {
  /** Changed objects, by namespace. */
  let changed = new Map<string, Named[]>();

  async function lookIn(namespace: string, used: readonly Named[]): Promise<void> {
    for (const { kind, uses } of kinds) {
      const named = used.filter(({ kind: of }) => uses[of] !== undefined);
      const objects = named.length === 0 ? [] : await store.list(kind, namespace);
      for (const object of objects) {
        const isUser = named.some(({ kind: of, name }) => uses[of]?.(object, name));
        if (isUser) onChange(kind, object.metadata);
      }
    }
  }

  const looking = createSingleFlight(async () => {
    const used = changed;
    changed = new Map();
    for (const [namespace, named] of used) {
      await lookIn(namespace, named).catch((error: unknown) =>
        log.warn(
          { reason: reasonOf(error) },
          'cannot look up the objects that refer to a changed object',
        ),
      );
    }
  });

  return {
    look: (kind: string, { namespace, name }: ObjectKey): void => {
      const named = changed.get(namespace) ?? [];
      changed.set(namespace, named);
      named.push({ kind, name });
      looking.trigger();
    },
    idle: looking.idle,
  };
}

type Named = { kind: string; name: string };
