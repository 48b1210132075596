import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../../src/errors.ts';
import {
  FieldConflictError,
  InvalidResourceError,
  WriteConflictError,
  type Applied,
  type ApplyOptions,
  type ObjectKey,
  type Resource,
  type ResourceChange,
  type ResourceStore,
} from '../../../src/platform/resources/resource-store.ts';

export type MemoryResourceStoreDeps = {
  /** An admission check of the merged object. By default it finds nothing. */
  check?: (kind: string, spec: Record<string, unknown>) => FieldError[];
  now?: () => Date;
};

/** Creates a ResourceStore in memory with the interface's semantics, for tests of its users. */
export function createMemoryResourceStore(deps: MemoryResourceStoreDeps = {}): ResourceStore {
  const objects = new Map<string, Resource>();
  const watchers = new Set<{ kind: string; onChange: (change: ResourceChange) => void }>();
  let version = 0;

  const save = (resource: Resource): Resource => {
    version += 1;
    const saved = structuredClone(resource);
    saved.metadata.resourceVersion = String(version);
    objects.set(idOf(resource.kind, resource.metadata), saved);
    notify(resource.kind, resource.metadata);
    return structuredClone(saved);
  };

  const notify = (kind: string, { namespace, name }: ObjectKey): void => {
    for (const watcher of watchers) {
      if (watcher.kind === kind) watcher.onChange({ kind, key: { namespace, name } });
    }
  };

  const apply = (applied: Applied, options: ApplyOptions): Resource => {
    const current = objects.get(idOf(applied.kind, applied));
    checkVersion(current, options.resourceVersion);
    const { spec, owners } = mergeFields(applied, options.fieldManager, current);
    const errors = deps.check?.(applied.kind, spec) ?? [];
    if (errors.length > 0) throw new InvalidResourceError(errors);
    const next: Resource = {
      kind: applied.kind,
      metadata: {
        namespace: applied.namespace,
        name: applied.name,
        uid: current?.metadata.uid ?? randomUUID(),
        generation: current?.metadata.generation ?? 1,
        resourceVersion: current?.metadata.resourceVersion ?? '',
        labels: { ...current?.metadata.labels, ...applied.labels },
        annotations: { ...current?.metadata.annotations, ...applied.annotations },
        creationTimestamp:
          current?.metadata.creationTimestamp ?? (deps.now?.() ?? new Date()).toISOString(),
      },
      spec,
      status: current?.status ?? {},
      owners,
    };
    if (current && isDeepStrictEqual(next, current)) return structuredClone(current);
    if (current && !isDeepStrictEqual(spec, current.spec)) next.metadata.generation += 1;
    return save(next);
  };

  return {
    get: async (kind, key) => structuredClone(objects.get(idOf(kind, key))),
    list: async (kind, namespace) =>
      [...objects.values()]
        .filter((resource) => resource.kind === kind)
        .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
        .map((resource) => structuredClone(resource)),
    apply: async (applied, options) => apply(structuredClone(applied), options),
    annotate: async (kind, key, annotations) => {
      const current = objects.get(idOf(kind, key));
      if (!current) return;
      const merged = { ...current.metadata.annotations, ...annotations };
      if (isDeepStrictEqual(merged, current.metadata.annotations)) return;
      save({ ...current, metadata: { ...current.metadata, annotations: merged } });
    },
    patchStatus: async (kind, key, status) => {
      const current = objects.get(idOf(kind, key));
      if (!current || current.metadata.uid !== key.uid) return;
      if (!isDeepStrictEqual(current.status, status)) save({ ...current, status });
    },
    delete: async (kind, key, options = {}) => {
      const current = objects.get(idOf(kind, key));
      if (!current) return false;
      checkVersion(current, options.resourceVersion);
      objects.delete(idOf(kind, key));
      notify(kind, key);
      return true;
    },
    watch: (kind, { onChange, onSynced }) => {
      const watcher = { kind, onChange };
      let stopped = false;
      // Runs after the caller has its `stop`, as in every real watch.
      queueMicrotask(() => {
        if (stopped) return;
        for (const resource of objects.values()) {
          const { namespace, name } = resource.metadata;
          if (resource.kind === kind) onChange({ kind, key: { namespace, name } });
        }
        onSynced();
        watchers.add(watcher);
      });
      return {
        refresh: async () => undefined,
        stop: async () => {
          stopped = true;
          watchers.delete(watcher);
        },
      };
    },
  };
}

const idOf = (kind: string, { namespace, name }: ObjectKey) => `${kind}/${namespace}/${name}`;

function checkVersion(current: Resource | undefined, expected: string | undefined): void {
  if (expected === undefined || expected === (current?.metadata.resourceVersion ?? '')) return;
  throw new WriteConflictError(`not at version ${expected}`);
}

function mergeFields(
  applied: Applied,
  manager: string,
  current: Resource | undefined,
): Pick<Resource, 'spec' | 'owners'> {
  const spec = { ...current?.spec };
  const owners = structuredClone(current?.owners ?? {});
  const conflicts: { field: string; manager: string }[] = [];
  for (const [field, value] of Object.entries(applied.spec)) {
    const others = (owners[field] ?? []).filter((owner) => owner !== manager);
    if (others[0] !== undefined && !isDeepStrictEqual(spec[field], value)) {
      conflicts.push({ field, manager: others[0] });
    }
    spec[field] = value;
    owners[field] = [...others, manager].sort();
  }
  if (conflicts.length > 0) throw new FieldConflictError(conflicts);
  for (const [field, managers] of Object.entries(owners)) {
    if (Object.hasOwn(applied.spec, field) || !managers.includes(manager)) continue;
    const others = managers.filter((owner) => owner !== manager);
    if (others.length > 0) owners[field] = others;
    else {
      delete owners[field];
      delete spec[field];
    }
  }
  return { spec, owners };
}
