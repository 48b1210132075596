/**
 * A site, identified by the origin of its start page. Addresses with and without `www.` belong to the same site, and so
 * do http and https addresses at their default ports. All of them are converted to this origin, so that each page has
 * exactly one address.
 */
export type Site = { origin: string };

/** Query parameters for campaigns and sessions. They do not change the page, so they are removed. */
const DROPPED = new Set(
  `gclid gclsrc dclid fbclid msclkid yclid twclid mc_cid mc_eid igshid _ga _gl mkt_tok hsctatracking
   phpsessid jsessionid cfid cftoken`.split(/\s+/),
);
const DROPPED_FORM = /^(utm_.*|aspsessionid.*|pk_(campaign|kwd|source|medium)|_hs(enc|mi))$/;
const SESSION = /^(sid|sess|sessid|session|sessionid|session_id|s)$/;

export const PATH_CHARS_MAX = 1_024;

export function siteOf(url: URL): Site {
  return { origin: url.origin };
}

/** Returns the canonical form of an address, or `undefined` if the address is invalid or belongs to another site. */
export function addressIn(site: Site, raw: string, base: string): URL | undefined {
  const url = URL.parse(raw, base);
  if (url === null || !isOf(site, url)) return undefined;
  const own = new URL(site.origin);
  own.pathname = pathnameOf(url);
  own.search = searchOf(url.search);
  return own;
}

/** Returns true if two addresses belong to the same site, ignoring `www.` and the difference between http and https. */
export function isSameSite(one: URL, other: URL): boolean {
  return isOf(siteOf(one), other);
}

/**
 * Returns the path and query of an address. They identify the page within its source, because a site has one origin.
 */
export function pathOf(url: URL): string {
  return url.pathname + url.search;
}

/** Converts a path that `pathOf` returned back to an address. */
export function urlOf({ origin }: Site, path: string): URL {
  // The path is appended instead of resolved against the origin, because `//name` at the beginning of a path would be
  // resolved as a host.
  return new URL(origin + path);
}

function isOf({ origin }: Site, url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  const own = new URL(origin);
  // If the start page has the default port, an address may use either http or https, each with its default port.
  const isPort = own.port === '' ? url.port === '' : url.origin === origin || isTwin(own, url);
  return isPort && nakedHost(own) === nakedHost(url);
}

function isTwin(own: URL, url: URL): boolean {
  return own.protocol === url.protocol && own.port === url.port;
}

function nakedHost({ hostname }: URL): string {
  return hostname.replace(/^www\./, '').replace(/\.$/, '');
}

function pathnameOf({ pathname }: URL): string {
  const bare = pathname.replace(/;jsessionid=[^/;]*/i, '');
  return bare.replace(/%[0-9a-f]{2}/g, (code) => code.toUpperCase());
}

/**
 * Returns the query without the dropped parameters. Keeps the order of the others, because some servers depend on it.
 */
function searchOf(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isDropped(pair));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function isDropped(pair: string): boolean {
  const at = pair.indexOf('=');
  const name = (at < 0 ? pair : pair.slice(0, at)).toLowerCase();
  if (DROPPED.has(name) || DROPPED_FORM.test(name)) return true;
  return SESSION.test(name) && at >= 0 && /^[0-9a-z]{16,}$/i.test(pair.slice(at + 1));
}

/** Decodes the percent-encoding of a path for display. */
export function readable(pathname: string): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}
