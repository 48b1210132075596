import { ApiError } from '../../errors.ts';
import { noPrecondition, requireTag, type Precondition } from '../declare/precondition.ts';

/** RFC 9110 §8.8.3; a weak tag is well-formed and never matches (§13.1.1). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const LIST = new RegExp(`^${ENTITY_TAG.source}(?:[ \\t]*,[ \\t]*${ENTITY_TAG.source})*$`);

/** `*` or a list of entity tags. @throws ApiError malformed_request */
export function readIfMatch(header: string | string[] | undefined): Precondition {
  if (header === undefined) return noPrecondition;
  const text = String(header).trim();
  if (text === '*') return noPrecondition; // What is not there is 404 before anybody looks.
  if (!LIST.test(text)) {
    throw new ApiError('malformed_request', 'If-Match: send * or entity tags, with their quotes');
  }
  return requireTag(text.match(new RegExp(ENTITY_TAG, 'g')) ?? []);
}
