/**
 * Which addresses are of a site, and how each is written, so that one page has one address. A site is
 * the origin of its start page; with and without `www.`, and http and https at their own ports, are the
 * same.
 */
export type Site = { origin: string };

/** Of campaigns and of sessions: the page is the same without them. */
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

/** The address as the site writes it; undefined: it is of another site, or none. */
export function addressIn(site: Site, raw: string, base: string): URL | undefined {
  const url = URL.parse(raw, base);
  if (url === null || !isOf(site, url)) return undefined;
  const own = new URL(site.origin);
  own.pathname = pathnameOf(url);
  own.search = searchOf(url.search);
  return own;
}

/** Whether one is the other with `www.`, or with https. */
export function isSameSite(one: URL, other: URL): boolean {
  return isOf(siteOf(one), other);
}

/** What an address is called in its source: unique there, as a site is one origin. */
export function pathOf(url: URL): string {
  return url.pathname + url.search;
}

/** The address of a path as `pathOf` returns it. */
export function urlOf({ origin }: Site, path: string): URL {
  return new URL(origin + path); // Not relative: a path may begin with two slashes.
}

function isOf({ origin }: Site, url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  const own = new URL(origin);
  // Without a port of its own an address of http is also one of https.
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

/** In the order given: some servers go by it. */
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

/** A path as people read it. */
export function readable(pathname: string): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}
