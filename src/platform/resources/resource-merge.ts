import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { epochMs } from '../../clock.ts';
import {
  FieldConflictError,
  InvalidResourceError,
  WriteConflictError,
  type Applied,
  type ApplyOptions,
  type Resource,
} from './resource-store.ts';
import type { Validate } from './schema/validate.ts';

/**
 * A declared object as it is stored. Callers of the store get only `resource`, without the owners of labels and
 * annotations.
 */
export type StoredResource = { resource: Resource; metaOwners: MetaOwners };

/** Field managers of each `labels.<key>` and `annotations.<key>`. Annotations set by `annotate` have no owner. */
export type MetaOwners = Record<string, string[]>;

/**
 * Implements server-side apply for top-level spec fields and for individual labels and annotations. Returns undefined
 * if nothing changes. It is a pure function, except for the uid and creation time of a new object.
 * @throws FieldConflictError, InvalidResourceError, WriteConflictError
 */
export function mergeApplied(input: {
  applied: Applied;
  options: ApplyOptions;
  current: StoredResource | undefined;
  validate: Validate;
}): StoredResource | undefined {
  const { applied, options } = input;
  const current = input.current?.resource;
  checkVersion(current, options.resourceVersion);
  const { spec, owners, labels, annotations, metaOwners } = mergeAll(input);
  const { namespace, name, kind } = applied;
  const verdict = input.validate(kind, spec, { namespace, name, labels, annotations });
  if ('errors' in verdict) throw new InvalidResourceError(verdict.errors);
  const resource: Resource = {
    kind,
    metadata: {
      namespace,
      name,
      labels,
      annotations,
      uid: current?.metadata.uid ?? randomUUID(),
      generation: current?.metadata.generation ?? 1,
      resourceVersion: current?.metadata.resourceVersion ?? '',
      creationTimestamp: current?.metadata.creationTimestamp ?? new Date(epochMs()).toISOString(),
    },
    spec: verdict.spec,
    status: current?.status ?? { observedGeneration: -1 },
    owners,
  };
  const next = { resource, metaOwners };
  if (isDeepStrictEqual(next, input.current)) return undefined;
  if (current && !isDeepStrictEqual(resource.spec, current.spec)) resource.metadata.generation += 1;
  return next;
}

/** Sets annotations without an owner. Returns undefined if they already have these values. */
export function withAnnotations(
  stored: StoredResource,
  annotations: Record<string, string>,
): StoredResource | undefined {
  const { metadata } = stored.resource;
  const merged = { ...metadata.annotations, ...annotations };
  if (isDeepStrictEqual(merged, metadata.annotations)) return undefined;
  return {
    ...stored,
    resource: { ...stored.resource, metadata: { ...metadata, annotations: merged } },
  };
}

/**
 * Checks that the object has the expected version. '' means that the object must not exist.
 * @throws WriteConflictError if it has a different version
 */
export function checkVersion(current: Resource | undefined, expected: string | undefined): void {
  if (expected === undefined) return;
  const actual = current?.metadata.resourceVersion ?? '';
  if (actual !== expected) throw new WriteConflictError('the object has changed since it was read');
}

function mergeAll(input: {
  applied: Applied;
  options: ApplyOptions;
  current: StoredResource | undefined;
}) {
  const { applied, current } = input;
  const manager = input.options.fieldManager;
  const { metadata, spec: stored, owners } = current?.resource ?? {};
  const spec = mergeOwned(applied.spec, { manager, values: stored, owners, prefix: '' });
  const meta = { manager, owners: current?.metaOwners };
  const labels = mergeOwned(applied.labels ?? {}, {
    ...meta,
    values: metadata?.labels,
    prefix: 'labels.',
  });
  const annotations = mergeOwned(applied.annotations ?? {}, {
    ...meta,
    values: metadata?.annotations,
    prefix: 'annotations.',
  });
  const inMeta = [...labels.conflicts, ...annotations.conflicts].map(
    ({ field, manager: owner }) => ({
      field: `metadata.${field}`,
      manager: owner,
    }),
  );
  const conflicts = [...spec.conflicts, ...inMeta];
  if (conflicts.length > 0) throw new FieldConflictError(conflicts);
  return {
    spec: spec.values,
    owners: spec.owners,
    labels: labels.values,
    annotations: annotations.values,
    metaOwners: { ...labels.owners, ...annotations.owners },
  };
}

/**
 * Merges one map of fields. The manager becomes an owner of the fields that it declares now, and does not remain an
 * owner of any other field in the map.
 */
function mergeOwned<T>(
  declared: Record<string, T>,
  part: {
    manager: string;
    values: Record<string, T> | undefined;
    /** Owners by field, for all maps. The fields of this map start with `prefix`. */
    owners: Record<string, string[]> | undefined;
    prefix: string;
  },
) {
  const { manager, prefix } = part;
  const values = { ...part.values };
  const owners = Object.fromEntries(
    Object.entries(part.owners ?? {}).filter(([field]) => field.startsWith(prefix)),
  );
  const conflicts: { field: string; manager: string }[] = [];
  for (const [name, value] of Object.entries(declared)) {
    const field = `${prefix}${name}`;
    const others = (owners[field] ?? []).filter((owner) => owner !== manager);
    if (others[0] !== undefined && !isDeepStrictEqual(values[name], value)) {
      conflicts.push({ field, manager: others[0] });
    }
    values[name] = value;
    owners[field] = [...others, manager].sort();
  }
  for (const [field, managers] of Object.entries(owners)) {
    const name = field.slice(prefix.length);
    if (Object.hasOwn(declared, name) || !managers.includes(manager)) continue;
    const others = managers.filter((owner) => owner !== manager);
    if (others.length > 0) owners[field] = others;
    else {
      delete owners[field];
      delete values[name];
    }
  }
  return { values, owners, conflicts };
}
