import { ApiError, type FieldError } from '../../errors.ts';
import { ANNOTATIONS, API_MANAGER } from '../resources/annotations.ts';
import {
  FieldConflictError,
  InvalidResourceError,
  NamespaceRefusedError,
  WriteConflictError,
  type Applied,
  type Resource,
  type ResourceStore,
} from '../resources/resource-store.ts';

/**
 * Runs `write` and throws what can go wrong as an ApiError in the caller's words. `pointer` maps a
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

const TRIES = 5;

/** Runs `write`, which reads, decides and writes, again when somebody else wrote in between. */
export async function retryingConflicts<T>(write: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof WriteConflictError) || left <= 1) throw error;
    }
  }
}

/** Creates an object; returns the existing one when an earlier try of the same plan made it. */
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

/** The object of this name, if it has the id of `object`. */
export async function findMade(
  store: ResourceStore,
  object: Applied,
): Promise<Resource | undefined> {
  const there = await store.get(object.kind, object);
  const id = object.annotations?.[ANNOTATIONS.id];
  return id !== undefined && there?.metadata.annotations[ANNOTATIONS.id] === id ? there : undefined;
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
