import { ApiError } from '../../errors.ts';

/**
 * `If-Match` (contract/requests.md#etags). A tag names one generation of one declared object: every change of the
 * declaration makes another, and an object that was deleted and made anew has other tags. What the
 * operator finds out (`ready`, health, what is live) is no change.
 */

type Declared = {
  uid: string;
  generation: number;
  /** Counts the changes of what belongs to the declaration and is kept apart from it. */
  revision?: number;
};

/**
 * Throws unless the object is as the caller last saw it; check the very version that is then
 * written.
 */
export type Precondition = (object: { metadata: Declared }) => void;

/** A strong entity tag, quotes included, of a declared object or of its row. */
export function etagOf({ uid, generation, revision = 0 }: Declared): string {
  const parts = [generation, uid.replaceAll('-', ''), ...(revision > 0 ? [revision] : [])];
  return `"${parts.join('-')}"`;
}

/** The caller sent no `If-Match`. */
export const noPrecondition: Precondition = () => undefined;

/** The precondition on an object that has a revision beside its generation. */
export function atRevision(precondition: Precondition, revision: number): Precondition {
  if (precondition === noPrecondition) return precondition;
  return ({ metadata }) => precondition({ metadata: { ...metadata, revision } });
}

/** @throws ApiError precondition_failed when the object has none of these tags */
export function requireTag(tags: readonly string[]): Precondition {
  return ({ metadata }) => {
    if (!tags.includes(etagOf(metadata))) throw preconditionFailed();
  };
}

export function preconditionFailed(): ApiError {
  const detail = 'it was changed since you read it: read it again, then decide again';
  return new ApiError('precondition_failed', detail);
}
