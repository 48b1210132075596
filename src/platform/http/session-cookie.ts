import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../errors.ts';

/**
 * The session cookie, and the rules for trusting it (contract/authentication.md#cookie). A browser may send the cookie
 * with requests from any page, but only requests from a page of our own origin reflect the person's intent.
 */

/** Name of the cookie for https. Browsers accept the `__Host-` prefix only over https and only from this exact host. */
const HTTPS_COOKIE = '__Host-parley_session';
/**
 * Name prefix of the cookie for loopback, where http traffic stays on this machine. Cookies do not distinguish ports,
 * so the name includes the port.
 */
const LOCAL_COOKIE = 'parley_session';

type Headers = Pick<IncomingHttpHeaders, 'origin' | 'host' | 'cookie' | 'sec-fetch-site'>;
/**
 * Headers of a request. `baseUrl` is `PARLEY_BASE_URL`, which is needed behind proxies that change the `Host` header.
 */
type At = { headers: Headers; baseUrl: string | undefined };

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Returns true if a request with a cookie came from one of our pages, or from a person who entered the URL. A request
 * that changes something must come from one of our pages. The proof is the `Origin` header, which the browser sets and
 * pages cannot change.
 */
export function isOurOwn({ method, ...at }: At & { method: string }): boolean {
  const { origin, 'sec-fetch-site': site } = at.headers;
  const isSafe = SAFE_METHODS.includes(method);
  if (origin === undefined ? !isSafe : schemeOf(at) === undefined) return false;
  return site === undefined || site === 'same-origin' || (site === 'none' && isSafe);
}

/**
 * Returns the name of the session cookie, which depends on whether the page where the person signs in uses https.
 * @throws ApiError foreign_origin, https_required
 */
export function cookieFor(at: At): string {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = at.headers;
  const scheme = schemeOf(at);
  if (scheme === undefined || site !== 'same-origin') {
    const from =
      origin === undefined
        ? 'the request has no Origin header'
        : `the request comes from ${origin.slice(0, 200)}`;
    const detail = `Sessions work only for pages of this server, but ${from}. If a proxy changes the Host header, set PARLEY_BASE_URL.`;
    throw new ApiError('foreign_origin', detail);
  }
  if (scheme === 'https:') return HTTPS_COOKIE;
  const local = localCookie(at.headers);
  if (local !== undefined && isLoopback(new URL(origin!).hostname)) return local;
  const detail = `A session requires https, but ${origin!} uses http and is not this machine itself. Put a TLS proxy in front of Parley.`;
  throw new ApiError('https_required', detail);
}

/** Returns the header that sets a cookie. The cookie lasts until the browser closes or the server clears it. */
export function setCookie(name: string, token: string): Record<'Set-Cookie', string> {
  return { 'Set-Cookie': `${name}=${token}; ${attributesOf(name)}` };
}

export function clearCookie(name: string): Record<'Set-Cookie', string> {
  return { 'Set-Cookie': `${name}=; Max-Age=0; ${attributesOf(name)}` };
}

function attributesOf(name: string): string {
  const secure = name === HTTPS_COOKIE ? 'Secure; ' : '';
  return `${secure}HttpOnly; SameSite=Strict; Path=/`;
}

export type SentToken = { cookie: string; token: string };

/**
 * Returns the session tokens in a request's cookies, the most likely one first. The cookie for http is accepted only on
 * loopback, because elsewhere a different server could have set it.
 */
export function tokensIn(headers: Headers): SentToken[] {
  if (headers.cookie === undefined) return [];
  const local = localCookie(headers);
  return [HTTPS_COOKIE, ...(local === undefined ? [] : [local])].flatMap((cookie) => {
    const token = valueOf(headers.cookie!, cookie);
    return token === undefined ? [] : [{ cookie, token }];
  });
}

/**
 * Returns the value of a cookie, or undefined if the cookie is missing or appears twice. If it appears twice, we cannot
 * know which of the two we set: another server on this host may have set the other.
 */
function valueOf(header: string, name: string): string | undefined {
  const values = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`));
  return values.length === 1 ? values[0]!.slice(name.length + 1) : undefined;
}

/** Returns the scheme of the page that sent the request, or undefined if the page is not ours. */
function schemeOf({ headers, baseUrl }: At): 'https:' | 'http:' | undefined {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  const { origin: whole, host: named, protocol } = new URL(origin);
  if (whole !== origin || (protocol !== 'https:' && protocol !== 'http:')) return undefined;
  const isNamed = hostAs(protocol, host) === named;
  const isBase = baseUrl !== undefined && new URL(baseUrl).origin === origin;
  return isNamed || isBase ? protocol : undefined;
}

/** Returns the host as browsers write it: without the default port of the scheme. */
function hostAs(protocol: string, host: string | undefined): string | undefined {
  const url = `${protocol}//${host ?? ''}`;
  return host !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function localCookie({ host }: Headers): string | undefined {
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  const { hostname, port } = new URL(`http://${host}`);
  return isLoopback(hostname) ? `${LOCAL_COOKIE}_${port || '80'}` : undefined;
}

/**
 * @param hostname as `URL` normalizes it: an IPv4 address with four numbers, an IPv6 address shortened and in brackets
 */
function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}
