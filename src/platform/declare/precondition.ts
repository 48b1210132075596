import { ApiError } from '../../errors.ts';

/**
 * `If-Match` (contract/requests.md#etags). A tag identifies one generation of one declared object. Every change of the
 * declaration has a new tag, and an object that was deleted and created again has different ones. Findings of the
 * operator (`ready`, health, the live version) do not change the tag.
 */

type Declared = {
  uid: string;
  generation: number;
  /** Counts changes of separately stored parts of the declaration. */
  revision?: number;
};

/** Throws unless the object is as the caller last saw it. Check the exact version that is then overwritten. */
export type Precondition = (object: { metadata: Declared }) => void;

/** Returns a strong entity tag, including quotes, of a declared object or its row. */
export function etagOf({ uid, generation, revision = 0 }: Declared): string {
  const parts = [generation, uid.replaceAll('-', ''), ...(revision > 0 ? [revision] : [])];
  return `"${parts.join('-')}"`;
}

/** Precondition without `If-Match`: it always holds. */
export const noPrecondition: Precondition = () => undefined;

/** Returns the precondition for an object that has a revision beside its generation. */
export function atRevision(precondition: Precondition, revision: number): Precondition {
  if (precondition === noPrecondition) return precondition;
  return ({ metadata }) => precondition({ metadata: { ...metadata, revision } });
}

/**
 * Returns a precondition that requires one of these tags.
 * @throws ApiError precondition_failed if the object has none
 */
export function requireTag(tags: readonly string[]): Precondition {
  return ({ metadata }) => {
    if (!tags.includes(etagOf(metadata))) throw preconditionFailed();
  };
}

export function preconditionFailed(): ApiError {
  const detail = 'it was changed since you read it: read it again, then decide again';
  return new ApiError('precondition_failed', detail);
}
