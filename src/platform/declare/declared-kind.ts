import { found } from '../../errors.ts';
import { fromUuid, type IdPrefix } from '../../ids.ts';
import type { Db, Pool } from '../postgres/pool.ts';
import { ANNOTATIONS, API_MANAGER } from '../resources/annotations.ts';
import type { Plan } from '../idempotency/plan.ts';
import type { ManagedBy } from '../resources/kind-names.ts';
import {
  FieldConflictError,
  WriteConflictError,
  type Condition,
  type ObjectKey,
  type Resource,
  type ResourceStore,
} from '../resources/resource-store.ts';
import { applyMergePatch, toCamelKey } from '../resources/schema/key-map.ts';
import { isRecord } from '../resources/schema/prepare.ts';
import type { AwaitProjection } from './await-projection.ts';
import { declaring, retryingConflicts } from './declare.ts';
import { checkRoom, QUOTA_EXCEEDED, QuotaExceededError, type QuotaDeps } from './quota.ts';
import { noPrecondition, type Precondition } from './precondition.ts';
import { managedElsewhere, ownersElsewhere, type RestTerms } from './rest-terms.ts';

/**
 * Kind whose objects can be written over REST (contract/requests.md#writes). Describes how REST fields map to the spec,
 * and where the rows of the objects are stored.
 */
export type DeclaredKind<Spec, Fields extends object, Row extends WrittenRow> = Pick<
  RestTerms,
  'pointer' | 'words'
> & {
  kind: string;
  idPrefix: IdPrefix;
  /** Name of the kind in change events (contract/events.md). */
  resource: string;
  /** Name of the kind in error messages for REST callers. */
  noun: string;
  table: string;
  /** Spec field that every object of the kind has. The owner of this field determines `managed_by`. */
  field: string;
  toSpec: (fields: Fields) => object;
  fromSpec: (spec: Spec) => Fields;
  /**
   * Maps REST fields to spec fields. A REST field that is missing here corresponds to the spec field of the same name
   * in camelCase.
   */
  specFields?: Readonly<Record<string, readonly string[]>>;
  read: (db: Db, key: RowKey) => Promise<Row | undefined>;
  /**
   * Builds a provisional row for an object whose row the operator has not written yet. `row` is the previous row, if
   * any.
   */
  asWritten: (written: WrittenRow, spec: Spec, row: Row | undefined) => Row;
};

/** `id` is the UUID of the row. */
export type RowKey = { namespace: string; id: string };

/** Columns common to the rows of all kinds. Times are Unix milliseconds. */
export type WrittenRow = ObjectKey & {
  id: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  ready: boolean;
  reason: string;
  message: string;
  createdAt: number;
  updatedAt: number;
};

/** Result of a write. `shown` is true if the row already reflects the written resource. */
export type Written<Spec, Row> = { row: Row; resource: Resource<Spec>; shown: boolean };

export type DeclareDeps = QuotaDeps & {
  pool: Pool;
  store: ResourceStore;
  awaitProjection: AwaitProjection;
};

/**
 * Returns the row of an object.
 * @throws ApiError not_found if there is no such object in this namespace
 */
export async function requireRow<Row>(
  { pool }: { pool: Db },
  { noun, read }: { noun: string; read: (db: Db, key: RowKey) => Promise<Row | undefined> },
  key: RowKey,
): Promise<Row> {
  return found(await read(pool, key), noun);
}

/**
 * Returns a row together with its declared object.
 * @throws ApiError not_found
 */
export async function requireDeclared<Spec, Fields extends object, Row extends WrittenRow>(
  deps: Pick<DeclareDeps, 'pool' | 'store'>,
  kind: DeclaredKind<Spec, Fields, Row>,
  key: RowKey,
): Promise<{ row: Row; resource: Resource<Spec> }> {
  const row = await requireRow(deps, kind, key);
  const resource = found(await deps.store.get(kind.kind, row), kind.noun);
  // The cast is safe: the store accepts only what the CRD allows.
  return { row, resource: resource as Resource<Spec> };
}

/**
 * Waits at most 2 s until the row reflects the written resource or a later state of it. After that time, returns a
 * provisional row.
 */
export async function showWritten<Spec, Fields extends object, Row extends WrittenRow>(
  { pool, awaitProjection }: Pick<DeclareDeps, 'pool' | 'awaitProjection'>,
  kind: DeclaredKind<Spec, Fields, Row>,
  declared: { resource: Resource; id: string },
): Promise<Written<Spec, Row>> {
  const { id } = declared;
  const resource = declared.resource as Resource<Spec>; // The cast is safe: the store accepts only what the CRD allows.
  const { namespace, name, uid, generation, creationTimestamp } = resource.metadata;
  const { value, shown } = await awaitProjection(
    { resource: kind.resource, namespace, id },
    () => kind.read(pool, { namespace, id }),
    (row) => row !== undefined && row.uid === uid && row.generation >= generation,
  );
  if (shown && value) return { row: value, resource, shown };
  const at = Date.parse(creationTimestamp);
  const written: WrittenRow = {
    id,
    namespace,
    name,
    uid,
    generation,
    managedBy: 'api',
    ready: false,
    reason: 'Pending',
    message: 'waiting for the operator to process the object',
    createdAt: value?.createdAt ?? at,
    updatedAt: value?.updatedAt ?? at,
  };
  return { row: kind.asWritten(written, resource.spec, value), resource, shown };
}

type PatchRequest<Spec, Fields, Row> = {
  key: RowKey;
  patch: Record<string, unknown>;
  precondition?: Precondition | undefined;
  /** Throws if the caller may not make this change. `before` is exactly the state that the write will replace. */
  permit?: ((fields: { before: Fields; after: Fields }) => void) | undefined;
  /**
   * Returns the annotations that the API sets on the object in addition to the one with its id. The write removes the
   * API's earlier annotations, except those returned here. Annotations of other field managers stay.
   */
  annotations?: (
    current: Resource<Spec>,
    fields: { before: Fields; after: Fields },
  ) => Record<string, string>;
  /** Runs after the object is read and before the changed object replaces it. */
  prepare?: (
    current: Resource<Spec>,
    change: { before: Fields; after: Fields; row: Row },
  ) => Promise<void>;
};

/**
 * Declares a new object if the quota of its namespace has room for it. If several requests use up the quota at the same
 * time, the operator accepts as many objects as fit and rejects the others. If the operator rejects the new object
 * within 2 s, this function deletes the object. An object that is rejected later stays, and becomes active when the
 * quota has room for it.
 * @throws ApiError quota_exceeded, and the errors of `declare`
 */
export async function createDeclared<Spec, Fields extends object, Row extends WrittenRow>(
  deps: DeclareDeps,
  kind: DeclaredKind<Spec, Fields, Row>,
  request: { namespace: string; plan: Plan; declare: () => Promise<Resource> },
): Promise<Written<Spec, Row>> {
  const { namespace, plan } = request;
  // A retry does not check the quota. If the first attempt has created the object, it already counts toward the quota.
  if (!plan.isRetry) await checkRoom(deps, kind.table, namespace);
  const resource = await declaring(kind, request.declare);
  const written = await showWritten(deps, kind, { resource, id: plan.id });
  if (!written.shown) await takeBackIfRefused(deps, kind, resource);
  return written;
}

/**
 * Deletes an object if the operator has rejected it because of a quota.
 * @throws QuotaExceededError if it was rejected
 */
async function takeBackIfRefused(
  { store }: Pick<DeclareDeps, 'store'>,
  { kind, table }: { kind: string; table: string },
  { metadata }: Resource,
): Promise<void> {
  const current = await store.get(kind, metadata);
  // The cast is safe: the CRD ensures this type.
  const conditions = current?.status['conditions'] as readonly Condition[] | undefined;
  const refusal = conditions?.find(({ reason }) => reason === QUOTA_EXCEEDED);
  if (!refusal || current?.metadata.uid !== metadata.uid) return;
  const { resourceVersion } = current.metadata;
  try {
    await store.delete(kind, metadata, { resourceVersion });
  } catch (error) {
    // A conflict means that the object has changed since it was rejected, for example because the quota now has room
    // for it. The object then stays.
    if (error instanceof WriteConflictError) return;
    throw error;
  }
  throw new QuotaExceededError(table, refusal.message);
}

/**
 * Applies a JSON merge patch (RFC 7386) to the fields that the API owns. Retries if another writer changed the object
 * in the meantime.
 * @throws ApiError not_found, precondition_failed, write_conflict, managed_elsewhere, invalid_body, and the errors of
 * `permit`
 */
export async function patchDeclared<Spec, Fields extends object, Row extends WrittenRow>(
  deps: DeclareDeps,
  kind: DeclaredKind<Spec, Fields, Row>,
  request: PatchRequest<Spec, Fields, Row>,
): Promise<Written<Spec, Row>> {
  const resource = await applyPatch(deps, kind, request);
  return showWritten(deps, kind, { resource, id: request.key.id });
}

/** Like `patchDeclared`, but does not wait for the change to appear in the row. */
export function applyPatch<Spec, Fields extends object, Row extends WrittenRow>(
  deps: Pick<DeclareDeps, 'pool' | 'store'>,
  kind: DeclaredKind<Spec, Fields, Row>,
  request: PatchRequest<Spec, Fields, Row>,
): Promise<Resource> {
  const { key, patch, precondition = noPrecondition, permit, annotations, prepare } = request;
  const id = fromUuid(kind.idPrefix, key.id);
  return declaring(kind, () =>
    retryingConflicts(async () => {
      const { row, resource: current } = await requireDeclared(deps, kind, key);
      precondition(current);
      const before = kind.fromSpec(current.spec);
      // Nothing is validated here. The route has validated each field of the patch, and the store validates the merged
      // object.
      const after = applyMergePatch({ ...before } as Record<string, unknown>, patch) as Fields;
      permit?.({ before, after });
      await prepare?.(current, { before, after, row });
      const touched = Object.keys(patch).flatMap(
        (field) => kind.specFields?.[field] ?? [toCamelKey(field)],
      );
      const { namespace, name, resourceVersion } = current.metadata;
      return deps.store.apply(
        {
          kind: kind.kind,
          namespace,
          name,
          spec: declarationAfter({
            current,
            touched,
            after: withoutEmptied(current.spec, { ...kind.toSpec(after) }),
          }),
          annotations: { [ANNOTATIONS.id]: id, ...annotations?.(current, { before, after }) },
        },
        { fieldManager: API_MANAGER, resourceVersion },
      );
    }),
  );
}

/**
 * Removes each nested object that the patch leaves empty. If such an object were declared without fields, server-side
 * apply would set it to null, which the schema rejects.
 */
function withoutEmptied(before: unknown, after: Record<string, unknown>): Record<string, unknown> {
  const held = new Map(Object.entries(isRecord(before) ? before : {}));
  const kept = Object.entries(after).flatMap(([key, value]) => {
    const had = held.get(key);
    if (!isRecord(value) || !isRecord(had)) return [[key, value] as const];
    const rest = withoutEmptied(had, value);
    const isEmptied = Object.keys(rest).length === 0 && Object.keys(had).length > 0;
    return isEmptied ? [] : [[key, rest] as const];
  });
  return Object.fromEntries(kept);
}

/**
 * Returns the API's complete declaration of an object after a patch: the fields that the API owned before, and the
 * patched fields, with the values of `after`. Throws a `FieldConflictError` if the patch removes a field that another
 * manager owns, because server-side apply would silently ignore the removal.
 */
function declarationAfter(input: {
  current: Pick<Resource, 'owners'>;
  touched: readonly string[];
  after: Record<string, unknown>;
}): Record<string, unknown> {
  const { owners } = input.current;
  const ours = Object.keys(owners).filter((field) => owners[field]?.includes(API_MANAGER));
  const conflicts = input.touched.flatMap((field) => {
    const manager = owners[field]?.find((owner) => owner !== API_MANAGER);
    return manager !== undefined && input.after[field] === undefined ? [{ field, manager }] : [];
  });
  if (conflicts.length > 0) throw new FieldConflictError(conflicts);
  const fields = [...new Set([...ours, ...input.touched])];
  const kept = fields.filter((field) => input.after[field] !== undefined);
  return Object.fromEntries(kept.map((field) => [field, input.after[field]]));
}

/**
 * Deletes an object that only the API declares, and waits at most 2 s until its row is gone. With a `precondition`, the
 * deletion fails if the object has changed since the caller read it. Returns false if the object was already deleted.
 * @throws ApiError not_found, managed_elsewhere, precondition_failed, write_conflict
 */
export async function deleteDeclared<Spec, Fields extends object, Row extends WrittenRow>(
  deps: DeclareDeps,
  kind: DeclaredKind<Spec, Fields, Row>,
  request: {
    key: RowKey;
    precondition?: Precondition | undefined;
    /** Runs before the object is deleted. */
    prepare?: (row: Row) => Promise<void>;
  },
): Promise<boolean> {
  const { key, precondition = noPrecondition, prepare } = request;
  const row = await requireRow(deps, kind, key);
  const { namespace, name, managedBy } = row;
  const deleting: RestTerms = { pointer: kind.pointer, act: 'delete' };
  if (managedBy !== 'api') {
    const declared = await deps.store.get(kind.kind, { namespace, name });
    const whose = { field: kind.field, managedBy };
    throw managedElsewhere(ownersElsewhere(declared?.owners ?? {}, whose), deleting);
  }
  await prepare?.(row);
  const wasThere = await declaring(deleting, () =>
    deleteIf(deps.store, { kind: kind.kind, key: { namespace, name } }, precondition),
  );
  await deps.awaitProjection(
    { resource: kind.resource, ...key },
    () => kind.read(deps.pool, key),
    (shown) => shown === undefined,
  );
  return wasThere;
}

async function deleteIf(
  store: ResourceStore,
  { kind, key }: { kind: string; key: ObjectKey },
  precondition: Precondition,
): Promise<boolean> {
  if (precondition === noPrecondition) return store.delete(kind, key);
  return retryingConflicts(async () => {
    const current = await store.get(kind, key);
    if (!current) return false;
    precondition(current);
    return store.delete(kind, key, { resourceVersion: current.metadata.resourceVersion });
  });
}
