import { ApiError } from '../../errors.ts';

/**
 * Checks `If-Match` (contract/requests.md#etags). An entity tag identifies one generation of one declared object. Every
 * change to the declaration changes the tag, and an object that is deleted and created again gets different tags.
 * Changes that the operator observes (`ready`, health, the live version) do not affect the tag.
 */

type Declared = {
  uid: string;
  generation: number;
  /** Number of changes made to values that are stored outside the object, such as an endpoint's headers. */
  revision?: number;
};

/**
 * Throws unless the object is still as the caller last read it. Call it with the exact version of the object that the
 * write will replace.
 */
export type Precondition = (object: { metadata: Declared }) => void;

/** Returns the strong entity tag of a declared object or its row, including the quotes. */
export function etagOf({ uid, generation, revision = 0 }: Declared): string {
  const parts = [generation, uid.replaceAll('-', ''), ...(revision > 0 ? [revision] : [])];
  return `"${parts.join('-')}"`;
}

/** Precondition for a request without `If-Match`. It always passes. */
export const noPrecondition: Precondition = () => undefined;

/**
 * Returns a precondition that checks the object's tag as computed with this `revision`. The revision is part of the
 * tag, but is not stored in the object.
 */
export function atRevision(precondition: Precondition, revision: number): Precondition {
  if (precondition === noPrecondition) return precondition;
  return ({ metadata }) => precondition({ metadata: { ...metadata, revision } });
}

/** Returns a precondition that throws `ApiError` precondition_failed unless the object has one of these tags. */
export function requireTag(tags: readonly string[]): Precondition {
  return ({ metadata }) => {
    if (!tags.includes(etagOf(metadata))) throw preconditionFailed();
  };
}

export function preconditionFailed(): ApiError {
  const detail = 'The resource has changed since you read it. Read it again before you change it.';
  return new ApiError('precondition_failed', detail);
}
