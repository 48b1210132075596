import { ApiError } from '../../errors.ts';
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
import { inRestTerms, managedElsewhere, type RestTerms } from './rest-terms.ts';

/** Runs `write`. Converts the store's errors to an `ApiError` that uses the field names of the REST API. */
export async function declaring<T>(terms: RestTerms, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw toApiError(error, terms);
  }
}

const TRIES = 5;

/**
 * Runs `write`, which reads an object and then writes a changed version. If another writer changed the object in
 * between, runs it again, up to five times in total.
 */
export async function retryingConflicts<T>(write: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof WriteConflictError) || left <= 1) throw error;
    }
  }
}

/** Creates an object, or returns the existing object if an earlier attempt of the same request created it. */
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

/** Returns the object with this name if it has the same id as `object`. Otherwise returns undefined. */
export async function findMade(
  store: ResourceStore,
  object: Applied,
): Promise<Resource | undefined> {
  const there = await store.get(object.kind, object);
  const id = object.annotations?.[ANNOTATIONS.id];
  return id !== undefined && there?.metadata.annotations[ANNOTATIONS.id] === id ? there : undefined;
}

function toApiError(error: unknown, terms: RestTerms): unknown {
  if (error instanceof InvalidResourceError) {
    const errors = inRestTerms(error.errors, terms);
    return new ApiError('invalid_body', 'Some fields are invalid. See `errors`.', {
      errors,
      cause: error,
    });
  }
  if (error instanceof FieldConflictError) {
    return managedElsewhere(error.conflicts, terms);
  }
  if (error instanceof NamespaceRefusedError) {
    const detail = "The API key's namespace does not exist, or the API may not write to it.";
    return new ApiError('namespace_refused', detail, { cause: error });
  }
  if (error instanceof WriteConflictError) {
    return new ApiError(
      'write_conflict',
      'The object was changed by another request at the same time. Read it again and retry.',
      { cause: error },
    );
  }
  return error;
}
