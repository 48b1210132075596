import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import type { RateLimits } from './rate-limit.ts';
import { isOurOwn, setCookie, tokensIn } from './session-cookie.ts';

/** Scopes of an API key (contract/authentication.md#scopes). */
export const SCOPES = ['read', 'write', 'publish', 'replay', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];
/** Scope that an operation requires. `any` accepts every key and every session. */
export type NeededScope = Scope | 'any';

/** Information about the client, taken from the connection and the `User-Agent` header, but not from proxy headers. */
export type Client = {
  requestId: string;
  /** Remote address of the connection, which may belong to a proxy. */
  address: string | null;
  /** `User-Agent` of the client, shortened to fit a log line. */
  userAgent: string | null;
};

/** Authenticated client. Audit records name it by `actor`: `api:key_…` or `session:<name>`. */
export type Caller = Client & {
  namespace: string;
  actor: string;
  /** UUID of the API key. */
  keyId: string;
  /** UUID of the session; null if the client sent the key itself. */
  sessionId: string | null;
  scopes: readonly Scope[];
};

/** Looks up an API key by its plaintext. Returns undefined if the key is unknown. Ids in the result are UUIDs. */
export type Authenticate = (
  key: string,
) => Promise<{ id: string; namespace: string; scopes: readonly Scope[] } | undefined>;

/** Looks up a session by one of its tokens. Returns undefined if no session has this token. */
export type AuthenticateSession = (token: string, client: Client) => Promise<SignedIn | undefined>;

/**
 * Session of a signed-in person. Ids are UUIDs. `next` is a new token that replaces the received token in the cookie.
 */
export type SignedIn = {
  id: string;
  namespace: string;
  keyId: string;
  name: string;
  scopes: readonly Scope[];
  next: string | undefined;
};

/**
 * Returns the actor name of an API key, as used in audit records and per-key counts. `keyId` is the UUID of the key.
 */
export function keyActor(keyId: string): string {
  return `api:${fromUuid('key', keyId)}`;
}

/** Returns the actor name of a signed-in person. The prefix distinguishes it from all other kinds of actors. */
export function sessionActor(name: string): string {
  return `session:${name}`;
}

type Held = Pick<Caller, 'keyId' | 'sessionId'>;
/**
 * Watches a key or a session until `release` is called. The signal `ended` aborts soon after the key or session has
 * ended.
 */
export type WatchCaller = (caller: Held) => { ended: AbortSignal; release: () => void };

/** Maximum length of a key in a request. Every valid key is shorter (src/config.ts allows 207 characters). */
const KEY_LENGTH_MAX = 256;

export type Credentials = {
  method: string;
  headers: IncomingHttpHeaders;
  /** Remote address of the connection. */
  address: string;
  requestId: string;
};

type IdentifyDeps = {
  authenticate: Authenticate;
  authenticateSession: AuthenticateSession;
  rateLimits: RateLimits;
  /** `PARLEY_BASE_URL` */
  baseUrl?: string | undefined;
};

/**
 * Identifies the caller (contract/authentication.md#keys) and counts the request against the key's rate limit.
 * `setHeaders` gets the rate-limit headers for the response, even if the request exceeds the limit. It also gets a new
 * session cookie if the session token is replaced. Cookies are ignored if `Authorization` is present.
 * @throws ApiError unauthorized, rate_limited
 */
export async function identify(
  deps: IdentifyDeps,
  credentials: Credentials,
  setHeaders: (headers: Record<string, string>) => void,
): Promise<Caller> {
  const { headers, address } = credentials;
  const client = clientOf(credentials);
  const known =
    headers.authorization === undefined
      ? await fromCookie(deps, credentials, { client, setHeaders })
      : await fromKey(deps, headers.authorization);
  if (typeof known === 'string') {
    await deps.rateLimits.countFailure(address);
    throw new ApiError('unauthorized', known);
  }
  rememberCaller(headers, known.namespace);
  const counted = await deps.rateLimits.count(known.keyId);
  if (counted) setHeaders(counted.headers);
  if (counted?.refusal) throw counted.refusal;
  return { ...known, ...client };
}

type Known = Omit<Caller, keyof Client>;

/** Returns the caller, or the reason why the key is rejected. */
async function fromKey({ authenticate }: IdentifyDeps, header: string): Promise<Known | string> {
  const text = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (text === undefined) return NO_KEY;
  const key = text.length <= KEY_LENGTH_MAX ? await authenticate(text) : undefined;
  if (!key) return 'The API key is unknown or was revoked.';
  const { id: keyId, namespace, scopes } = key;
  return { namespace, scopes, keyId, sessionId: null, actor: keyActor(keyId) };
}

const NO_KEY = 'Send your API key in the header: Authorization: Bearer parley_….';

async function fromCookie(
  { authenticateSession, baseUrl }: IdentifyDeps,
  { method, headers }: Credentials,
  to: { client: Client; setHeaders: (headers: Record<string, string>) => void },
): Promise<Known | string> {
  const sent = tokensIn(headers);
  if (sent.length === 0) return NO_KEY;
  if (!isOurOwn({ method, headers, baseUrl })) {
    return 'The session cookie works only for pages of this origin. Send an API key instead.';
  }
  for (const { cookie, token } of sent) {
    const session = await authenticateSession(token, to.client);
    if (!session) continue;
    const { id: sessionId, namespace, scopes, keyId, name, next } = session;
    if (next !== undefined) to.setHeaders(setCookie(cookie, next));
    return { namespace, scopes, keyId, sessionId, actor: sessionActor(name) };
  }
  return 'The session has ended. Sign in again.';
}

export function clientOf({ headers, address, requestId }: Omit<Credentials, 'method'>): Client {
  return {
    requestId,
    address: plainAddress(address),
    userAgent: printable(headers['user-agent']),
  };
}

/** Returns an IPv4 address in dotted form even if a dual-stack socket reports it as an IPv6 address. */
function plainAddress(address: string): string | null {
  return address === '' ? null : address.replace(/^::ffff:(?=\d+\.)/i, '');
}

const USER_AGENT_LENGTH_MAX = 200;

function printable(text: string | undefined): string | null {
  const kept = text?.slice(0, USER_AGENT_LENGTH_MAX).replaceAll(/[^ -~]/g, '?');
  return kept === undefined || kept === '' ? null : kept;
}

/**
 * Throws if the caller does not have the scope.
 * @param why reason to append to the error message; given if the content of the request, not the operation itself,
 * requires the scope
 * @throws ApiError missing_scope
 */
export function requireScope(
  { scopes }: Pick<Caller, 'scopes'>,
  scope: NeededScope,
  why?: string,
): void {
  if (scope === 'any' || scopes.includes(scope)) return;
  const detail = `This requires an API key with the \`${scope}\` scope`;
  throw new ApiError('missing_scope', why === undefined ? `${detail}.` : `${detail}: ${why}.`);
}

/**
 * Caches the last known namespace of each credential, so that requests of a known caller do not queue behind those of
 * unauthenticated clients (event-loop-turns.ts). The cache is not used for authentication: a revoked key is still
 * rejected.
 */
const namespaces = new LRUCache<string, string>({ max: 10_000 });

/** Caches the namespace of a request that has a valid key or session. */
export function rememberCaller(headers: IncomingHttpHeaders, namespace: string): void {
  const credential = credentialIn(headers);
  if (credential !== undefined) namespaces.set(credential, namespace);
}

/** Returns the namespace that this credential had in an earlier request, or undefined. */
export function namespaceOf(headers: IncomingHttpHeaders): string | undefined {
  const credential = credentialIn(headers);
  return credential === undefined ? undefined : namespaces.get(credential);
}

/** Returns a digest of the request's credential. The cache contains digests, so that no key stays in memory. */
function credentialIn({ authorization, cookie }: IncomingHttpHeaders): string | undefined {
  const text = authorization ?? cookie;
  return text === undefined ? undefined : hash('sha256', text, 'base64');
}
