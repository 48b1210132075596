import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import type { RateLimits } from './rate-limit.ts';
import { isOurOwn, setCookie, tokensIn } from './session-cookie.ts';

/** Scopes of an API key (contract/authentication.md#scopes). */
export const SCOPES = ['read', 'write', 'publish', 'replay', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];
/** What an operation needs; `any`: a key or session, whatever it may do. */
export type NeededScope = Scope | 'any';

/** From where a request comes, as far as that is known without believing a header. */
export type Client = {
  /** `req_…` */
  requestId: string;
  /** Of the other end of the connection: a proxy's, where one is in front. */
  address: string | null;
  /** As the client names itself, cut to what a line can hold. */
  userAgent: string | null;
};

/** Whose key it is. `actor` is how histories name them: `api:key_…`, or `session:<name>`. */
export type Caller = Client & {
  namespace: string;
  actor: string;
  /** uuid */
  keyId: string;
  /** uuid; null: they sent the key itself. */
  sessionId: string | null;
  scopes: readonly Scope[];
};

/** Whose API key it is, given its text; undefined: nobody's. Ids are uuids. */
export type Authenticate = (
  key: string,
) => Promise<{ id: string; namespace: string; scopes: readonly Scope[] } | undefined>;

/** Whose session it is, given a token of it. */
export type AuthenticateSession = (token: string, client: Client) => Promise<SignedIn | undefined>;

/** Ids are uuids; `next`: the token that replaces the one that was sent, for its cookie. */
export type SignedIn = {
  id: string;
  namespace: string;
  keyId: string;
  name: string;
  scopes: readonly Scope[];
  next: string | undefined;
};

/** How histories name who acts with a key (uuid), and what is counted by key. */
export function keyActor(keyId: string): string {
  return `api:${fromUuid('key', keyId)}`;
}

/** How histories name a person who signed in; whatever the name is, it is no other actor's. */
export function sessionActor(name: string): string {
  return `session:${name}`;
}

type Held = Pick<Caller, 'keyId' | 'sessionId'>;
/** `ended` aborts soon after the key or the session has ended; `release` when nobody needs to know. */
export type WatchCaller = (caller: Held) => { ended: AbortSignal; release: () => void };

/** Longer than any key there can be (src/config.ts allows 207 characters). */
const KEY_LENGTH_MAX = 256;

export type Credentials = {
  method: string;
  headers: IncomingHttpHeaders;
  /** Of the other end of the connection. */
  address: string;
  requestId: string;
};

type IdentifyDeps = {
  authenticate: Authenticate;
  authenticateSession: AuthenticateSession;
  rateLimits: RateLimits;
  /** PARLEY_BASE_URL */
  baseUrl?: string | undefined;
};

/**
 * The caller (contract/authentication.md#keys), counted against its limit; `setHeaders` is given what every answer
 * says of that, a refusal too. With `Authorization` no cookie counts.
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

/** A text: why it is nobody. */
async function fromKey({ authenticate }: IdentifyDeps, header: string): Promise<Known | string> {
  const text = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (text === undefined) return NO_KEY;
  const key = text.length <= KEY_LENGTH_MAX ? await authenticate(text) : undefined;
  if (!key) return 'the API key is not known or was revoked';
  const { id: keyId, namespace, scopes } = key;
  return { namespace, scopes, keyId, sessionId: null, actor: keyActor(keyId) };
}

const NO_KEY = 'send your API key: Authorization: Bearer parley_…';

async function fromCookie(
  { authenticateSession, baseUrl }: IdentifyDeps,
  { method, headers }: Credentials,
  to: { client: Client; setHeaders: (headers: Record<string, string>) => void },
): Promise<Known | string> {
  const sent = tokensIn(headers);
  if (sent.length === 0) return NO_KEY;
  if (!isOurOwn({ method, headers, baseUrl })) {
    return 'a session is for pages of this origin alone: send your API key instead of its cookie';
  }
  for (const { cookie, token } of sent) {
    const session = await authenticateSession(token, to.client);
    if (!session) continue;
    const { id: sessionId, namespace, scopes, keyId, name, next } = session;
    if (next !== undefined) to.setHeaders(setCookie(cookie, next));
    return { namespace, scopes, keyId, sessionId, actor: sessionActor(name) };
  }
  return 'the session has ended: sign in again';
}

export function clientOf({ headers, address, requestId }: Omit<Credentials, 'method'>): Client {
  return {
    requestId,
    address: plainAddress(address),
    userAgent: printable(headers['user-agent']),
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
export function requireScope(
  { scopes }: Pick<Caller, 'scopes'>,
  scope: NeededScope,
  why?: string,
): void {
  if (scope === 'any' || scopes.includes(scope)) return;
  const detail = `this needs an API key with the scope ${scope}`;
  throw new ApiError('missing_scope', why === undefined ? detail : `${detail}: ${why}`);
}

/**
 * The namespace that each credential had last time. A request of a known caller does not wait behind those of strangers
 * (event-loop-turns.ts). The map decides about nothing else: a key that has ended is refused like any other.
 */
const NAMESPACES_MAX = 10_000;
const namespaces = new Map<string, string>();

/** Call when the request has shown a key or a session of the namespace. */
export function rememberCaller(headers: IncomingHttpHeaders, namespace: string): void {
  const credential = credentialIn(headers);
  if (credential === undefined) return;
  namespaces.delete(credential);
  namespaces.set(credential, namespace);
  if (namespaces.size <= NAMESPACES_MAX) return;
  const [oldest] = namespaces.keys();
  namespaces.delete(oldest!); // There are many.
}

/** Returns the namespace that the credential of a request had before, or undefined. */
export function namespaceOf(headers: IncomingHttpHeaders): string | undefined {
  const credential = credentialIn(headers);
  return credential === undefined ? undefined : namespaces.get(credential);
}

/** A digest, so that no key stays in memory. */
function credentialIn({ authorization, cookie }: IncomingHttpHeaders): string | undefined {
  const text = authorization ?? cookie;
  return text === undefined ? undefined : hash('sha256', text, 'base64');
}
