import { ApiError } from '../../errors.ts';

/**
 * `If-Match` (contract §3). A tag names one generation of one declared object: every change of the
 * declaration makes another, and an object that was deleted and made anew has other tags. What the
 * operator finds out (`ready`, health, what is live) is no change.
 */

type Declared = { uid: string; generation: number };

/**
 * Throws unless the object is as the caller last saw it; check the very version that is then
 * written.
 */
export type Precondition = (object: { metadata: Declared }) => void;

/** A strong entity tag, quotes included, of a declared object or of its row. */
export function etagOf({ uid, generation }: Declared): string {
  return `"${generation}-${uid.replaceAll('-', '')}"`;
}

/** The caller sent no `If-Match`. */
export const noPrecondition: Precondition = () => undefined;

/** @throws ApiError precondition_failed when the object has none of these tags */
export function requireTag(tags: readonly string[]): Precondition {
  return ({ metadata }) => {
    if (tags.includes(etagOf(metadata))) return;
    const detail = 'it was changed since you read it: read it again, then decide again';
    throw new ApiError('precondition_failed', detail);
  };
}
