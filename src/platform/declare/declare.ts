import { ApiError, type FieldError } from '../../errors.ts';
import { ANNOTATIONS, API_MANAGER } from '../resources/annotations.ts';
import {
  FieldConflictError,
  InvalidResourceError,
  NamespaceRefusedError,
  WriteConflictError,
  type Applied,
  type ObjectKey,
  type Resource,
  type ResourceStore,
} from '../resources/resource-store.ts';
import type { AwaitProjection } from './await-projection.ts';
import { noPrecondition, type Precondition } from './precondition.ts';

/**
 * What can go wrong when the API declares something, in words for its caller. `pointer` maps a
 * place in the resource to the place in the REST body.
 */
export async function declaring<T>(
  pointer: (pointer: string) => string,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw toApiError(error, pointer);
  }
}

/**
 * The API's whole part of an object after a patch (design §1): the fields it owned and the
 * touched ones, as `after` has them. Removing what somebody else declares is a conflict, where
 * server-side apply would silently do nothing.
 */
export function declarationAfter(input: {
  current: Resource;
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

const TRIES = 5;

/** Reads, decides and writes again when somebody else wrote in between. */
export async function retryingConflicts<T>(write: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof WriteConflictError) || left <= 1) throw error;
    }
  }
}

/** An object that is not there yet; the one that is, when an earlier try of the same plan made it. */
export async function declareNew(store: ResourceStore, object: Applied): Promise<Resource> {
  try {
    return await store.apply(object, { fieldManager: API_MANAGER, resourceVersion: '' });
  } catch (error) {
    if (!(error instanceof WriteConflictError)) throw error;
    const made = await findMade(store, object);
    if (!made) throw error;
    return made;
  }
}

/** The object of this name, when it has the id that `object` is to have. */
export async function findMade(
  store: ResourceStore,
  object: Applied,
): Promise<Resource | undefined> {
  const there = await store.get(object.kind, object);
  const id = object.annotations?.[ANNOTATIONS.id];
  return id !== undefined && there?.metadata.annotations[ANNOTATIONS.id] === id ? there : undefined;
}

/**
 * Declares an object anew as `change` makes it of the one that is there, and again when somebody
 * else wrote in between. `read`: the object as it is now; throws when there is none.
 * @throws ApiError precondition_failed, write_conflict, managed_elsewhere, invalid_body
 */
export function patchDeclared<R extends Resource>(
  store: ResourceStore,
  input: {
    pointer: (pointer: string) => string;
    read: () => Promise<R>;
    change: (current: R) => Required<Pick<Applied, 'spec' | 'annotations'>>;
    precondition: Precondition;
  },
): Promise<Resource> {
  const { pointer, read, change, precondition } = input;
  return declaring(pointer, () =>
    retryingConflicts(async () => {
      const current = await read();
      precondition(current);
      const { kind, metadata } = current;
      const { namespace, name, resourceVersion } = metadata;
      const object = { kind, namespace, name, ...change(current) };
      return store.apply(object, { fieldManager: API_MANAGER, resourceVersion });
    }),
  );
}

/**
 * Deletes what only the API declares, unless it was changed since the caller saw it, and waits
 * until it is gone from what is read. It may be gone already. `field`: one that its manager owns.
 * @throws ApiError managed_elsewhere, precondition_failed, write_conflict
 */
export async function deleteDeclared(
  deps: { store: ResourceStore; awaitProjection: AwaitProjection },
  input: {
    kind: string;
    row: ObjectKey & { managedBy: string };
    field: string;
    precondition: Precondition;
    readAgain: () => Promise<unknown>;
  },
): Promise<void> {
  const { kind, row, field, precondition, readAgain } = input;
  if (row.managedBy !== 'api')
    throw managedElsewhere([{ field, manager: row.managedBy }], () => '');
  const { namespace, name } = row;
  await declaring(
    (pointer) => pointer,
    () => deleteIf(deps.store, { kind, namespace, name }, precondition),
  );
  await deps.awaitProjection(readAgain, (shown) => shown === undefined);
}

async function deleteIf(
  store: ResourceStore,
  object: ObjectKey & { kind: string },
  precondition: Precondition,
): Promise<void> {
  const { kind, namespace, name } = object;
  const key = { namespace, name };
  if (precondition === noPrecondition) {
    await store.delete(kind, key);
    return;
  }
  await retryingConflicts(async () => {
    const current = await store.get(kind, key);
    if (!current) return;
    precondition(current);
    await store.delete(kind, key, { resourceVersion: current.metadata.resourceVersion });
  });
}

function toApiError(error: unknown, pointer: (pointer: string) => string): unknown {
  if (error instanceof InvalidResourceError) {
    const errors: FieldError[] = error.errors.map((e) => ({ ...e, pointer: pointer(e.pointer) }));
    return new ApiError('invalid_body', 'some fields are wrong; see errors', {
      errors,
      cause: error,
    });
  }
  if (error instanceof FieldConflictError) {
    return managedElsewhere(error.conflicts, pointer);
  }
  if (error instanceof NamespaceRefusedError) {
    const detail = 'the namespace of the API key does not exist, or the API may not write in it';
    return new ApiError('namespace_refused', detail, { cause: error });
  }
  if (error instanceof WriteConflictError) {
    return new ApiError(
      'write_conflict',
      'it was changed by somebody else; read it and try again',
      { cause: error },
    );
  }
  return error;
}

/** 409 that names who owns the field and what to do instead. */
export function managedElsewhere(
  conflicts: readonly { field: string; manager: string }[],
  pointer: (pointer: string) => string = (text) => text,
): ApiError {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].join(', ');
  const errors = conflicts.map(({ field, manager }) => ({
    pointer: pointer(`/spec/${field}`),
    code: 'managed_elsewhere',
    detail: `owned by ${manager}`,
  }));
  const detail = `owned by ${managers}: change it there, or leave these fields out`;
  return new ApiError('managed_elsewhere', detail, { errors });
}
