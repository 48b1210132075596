/**
 * A site with canonical spelling, so that each page has one address. It is the origin of its start page. Addresses with
 * and without `www.`, and with http and https at their default ports, belong to the same site.
 */
export type Site = { origin: string };

/** Parameters of campaigns and sessions, which do not change the page. */
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

/** Returns the canonical address, or `undefined` if it belongs to another site or is invalid. */
export function addressIn(site: Site, raw: string, base: string): URL | undefined {
  const url = URL.parse(raw, base);
  if (url === null || !isOf(site, url)) return undefined;
  const own = new URL(site.origin);
  own.pathname = pathnameOf(url);
  own.search = searchOf(url.search);
  return own;
}

/** Returns true if two addresses belong to the same site, apart from `www.` and https. */
export function isSameSite(one: URL, other: URL): boolean {
  return isOf(siteOf(one), other);
}

/** Returns the path of an address, which is unique in its source because a site has one origin. */
export function pathOf(url: URL): string {
  return url.pathname + url.search;
}

/** Returns the address of a path that `pathOf` returned. */
export function urlOf({ origin }: Site, path: string): URL {
  return new URL(origin + path); // Concatenates, because a path may begin with two slashes, which a relative URL would read as a host.
}

function isOf({ origin }: Site, url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  const own = new URL(origin);
  // An address with the default port may use http or https.
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

/** Keeps the order of parameters, which some servers depend on. */
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

/** Decodes a path for people. */
export function readable(pathname: string): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}
