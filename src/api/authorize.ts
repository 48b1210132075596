import { ApiError } from '../errors.ts';
import { fromUuid } from '../events/ids.ts';
import type { Authenticate } from '../services/authenticate.ts';
import type { Caller, Scope } from './route.ts';

/** Longer than any key there can be (src/config.ts allows 207 characters). */
const KEY_LENGTH_MAX = 256;

/**
 * Who asks, when their key may do this (contract §3).
 * @throws ApiError unauthorized, missing_scope
 */
export async function authorize(
  authenticate: Authenticate,
  authorization: string | undefined,
  scope: Scope,
): Promise<Caller> {
  const text = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (text === undefined) {
    throw new ApiError('unauthorized', 'send your API key: Authorization: Bearer parley_…');
  }
  const key = text.length <= KEY_LENGTH_MAX ? await authenticate(text) : undefined;
  if (!key) throw new ApiError('unauthorized', 'the API key is not known or was revoked');
  if (!key.scopes.includes(scope)) {
    throw new ApiError('missing_scope', `this needs an API key with the scope ${scope}`);
  }
  return { namespace: key.namespace, actor: `api:${fromUuid('key', key.id)}` };
}
