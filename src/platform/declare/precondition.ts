import { ApiError } from '../../errors.ts';

/**
 * `If-Match` (contract/requests.md#etags). A tag identifies one generation of one declared object. Every change of the
 * declaration changes the tag, and an object that was deleted and created again has different tags. What the operator
 * observes (`ready`, health, the live version) does not change the tag.
 */

type Declared = {
  uid: string;
  generation: number;
  /** Number of changes to declared values that are stored apart from the object, such as an endpoint's headers. */
  revision?: number;
};

/**
 * Throws unless the object is as the caller last read it. It must be called with the exact version that the write then
 * replaces.
 */
export type Precondition = (object: { metadata: Declared }) => void;

/** Returns a strong entity tag, including quotes, of a declared object or its row. */
export function etagOf({ uid, generation, revision = 0 }: Declared): string {
  const parts = [generation, uid.replaceAll('-', ''), ...(revision > 0 ? [revision] : [])];
  return `"${parts.join('-')}"`;
}

/** Precondition of a request without `If-Match`: it always passes. */
export const noPrecondition: Precondition = () => undefined;

/** Returns the precondition for an object whose tag contains this `revision`. */
export function atRevision(precondition: Precondition, revision: number): Precondition {
  if (precondition === noPrecondition) return precondition;
  return ({ metadata }) => precondition({ metadata: { ...metadata, revision } });
}

/**
 * Returns a precondition that requires one of these tags.
 * @throws ApiError precondition_failed (the returned function) if the object has another tag
 */
export function requireTag(tags: readonly string[]): Precondition {
  return ({ metadata }) => {
    if (!tags.includes(etagOf(metadata))) throw preconditionFailed();
  };
}

export function preconditionFailed(): ApiError {
  const detail = 'The resource was changed after you read it. Read it again before you change it.';
  return new ApiError('precondition_failed', detail);
}
