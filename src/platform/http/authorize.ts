import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import type { RateLimits } from './rate-limit.ts';

/** What an API key may do (contract §3). */
export const SCOPES = ['read', 'write', 'publish', 'replay', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whose key it is. `actor` is how histories name them: `api:key_…`. */
export type Caller = {
  namespace: string;
  actor: string;
  /** uuid */
  keyId: string;
  scopes: readonly Scope[];
  /** `req_…` */
  requestId: string;
  /** Of the other end of the connection: a proxy's, where one is in front. */
  address: string | null;
  /** As the client names itself, cut to what a line can hold. */
  userAgent: string | null;
};

/** Whose API key it is, given its text; undefined: nobody's. Ids are uuids. */
export type Authenticate = (
  key: string,
) => Promise<{ id: string; namespace: string; scopes: readonly Scope[] } | undefined>;

/** `ended` aborts soon after the key (uuid) has ended; `release` when nobody needs to know. */
export type WatchKey = (keyId: string) => { ended: AbortSignal; release: () => void };

/** Longer than any key there can be (src/config.ts allows 207 characters). */
const KEY_LENGTH_MAX = 256;

export type Credentials = {
  authorization: string | undefined;
  /** Of the other end of the connection. */
  address: string;
  userAgent: string | undefined;
  requestId: string;
};

/**
 * Who asks (contract §3), counted against their limit; `setHeaders` is given what every answer
 * says of that, a refusal too.
 * @throws ApiError unauthorized, rate_limited
 */
export async function identify(
  deps: { authenticate: Authenticate; rateLimits: RateLimits },
  { authorization, address, userAgent, requestId }: Credentials,
  setHeaders: (headers: Record<string, string>) => void,
): Promise<Caller> {
  const text = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const isPlausible = text !== undefined && text.length <= KEY_LENGTH_MAX;
  const key = isPlausible ? await deps.authenticate(text) : undefined;
  if (!key) {
    await deps.rateLimits.countFailure(address);
    throw new ApiError(
      'unauthorized',
      text === undefined
        ? 'send your API key: Authorization: Bearer parley_…'
        : 'the API key is not known or was revoked',
    );
  }
  const counted = await deps.rateLimits.count(key.id);
  if (counted) setHeaders(counted.headers);
  if (counted?.refusal) throw counted.refusal;
  const { id: keyId, namespace, scopes } = key;
  return {
    namespace,
    scopes,
    keyId,
    requestId,
    actor: `api:${fromUuid('key', keyId)}`,
    address: plainAddress(address),
    userAgent: printable(userAgent),
  };
}

/** An IPv4 address as such, where the socket is one of IPv6 that takes both. */
function plainAddress(address: string): string | null {
  return address === '' ? null : address.replace(/^::ffff:(?=\d+\.)/i, '');
}

const USER_AGENT_LENGTH_MAX = 200;

function printable(text: string | undefined): string | null {
  const kept = text?.slice(0, USER_AGENT_LENGTH_MAX).replaceAll(/[^ -~]/g, '?');
  return kept === undefined || kept === '' ? null : kept;
}

/**
 * @param why what of the request needs it, where the operation alone does not
 * @throws ApiError missing_scope
 */
export function requireScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope, why?: string): void {
  if (scopes.includes(scope)) return;
  const detail = `this needs an API key with the scope ${scope}`;
  throw new ApiError('missing_scope', why === undefined ? detail : `${detail}: ${why}`);
}
