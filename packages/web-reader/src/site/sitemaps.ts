import { setImmediate as breathe } from 'node:timers/promises';
import { inflateStart, isGzip } from './inflate.ts';
import { mediaTypeOf, type Answer, type Request } from './page-request.ts';
import { readSitemap, type SitemapContent } from './read-sitemap.ts';
import { addressIn, pathOf, type Site } from './site-address.ts';

/** Maximum number of sitemap files that are read for one site in one sync. Further files are reported as problems. */
const FILES_MAX = 50;
const ADDRESSES_MAX = 50_000;
/** Maximum uncompressed size of a sitemap. The protocol allows 50 MB. Only the beginning of a larger file is read. */
const BYTES_MAX = 10_000_000;
/** Maximum nesting depth of sitemap indexes. Deeper sitemaps are reported as problems. */
const DEPTH_MAX = 3;
const REDIRECTS_MAX = 5;

/** A sitemap that could not be read completely. `reason` is one sentence without its full stop. */
export type SitemapProblem = { path: string; reason: string };

/**
 * Paths of the pages that the sitemaps of a site list. If a sitemap has a problem, the pages that it listed in the last
 * sync may still exist.
 */
export type Sitemaps = { paths: string[]; problems: SitemapProblem[] };

type Deps = {
  site: Site;
  /** Addresses of the sitemaps that robots.txt names. */
  named: readonly string[];
  /** Whether the last sync found pages in any sitemap. */
  hasListed: boolean;
  request: Request;
  isAllowed: (url: URL) => boolean;
  signal: AbortSignal;
};

/**
 * Reads the sitemaps that robots.txt names, and `/sitemap.xml`. A sitemap counts as missing only if the server responds
 * with status 404 or 410. Any other response that is not a sitemap becomes a problem.
 */
export async function fetchSitemaps(deps: Deps): Promise<Sitemaps> {
  const { site, named } = deps;
  const seen = new Set<string>();
  const found = new Set<string>();
  const problems = new Map<string, string>();
  const queue: { url: URL; depth: number }[] = [];
  const add = (raw: string, base: string, depth: number): void => {
    const url = addressIn(site, raw, base);
    const path = url === undefined ? raw.slice(0, 500) : pathOf(url);
    if (url !== undefined && seen.has(url.href)) return;
    const problem = refusalOf(url, { ...deps, depth, files: seen.size });
    if (problem !== undefined) problems.set(path, problem);
    if (url === undefined || problem !== undefined) return;
    seen.add(url.href);
    queue.push({ url, depth });
  };
  for (const raw of named) add(raw, site.origin, 1);
  const guess = addressIn(site, '/sitemap.xml', site.origin)!;
  const isGuess = !seen.has(guess.href);
  if (isGuess && deps.isAllowed(guess)) add(guess.href, site.origin, 1);

  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { url, depth } = next;
    const read = await fetchSitemap(url, { ...deps, seen });
    if (read === undefined) continue;
    // Some sites respond to every request with a page. On such a site an HTML page at `/sitemap.xml` means that the
    // site has no sitemap.
    const isNothing = read.isPage && isGuess && url.href === guess.href && !deps.hasListed;
    if (read.problem !== undefined && !isNothing) problems.set(pathOf(url), read.problem);
    for (const raw of read.sitemaps) add(raw, read.base, depth + 1);
    for (const [at, raw] of read.pages.entries()) {
      if (at % ADDRESSES_AT_ONCE === 0) await breathe();
      const page = addressIn(site, raw, read.base);
      const path = page && pathOf(page);
      if (path === undefined || found.has(path)) continue;
      if (found.size < ADDRESSES_MAX) found.add(path);
      else problems.set(pathOf(url), TOO_MANY_ADDRESSES);
    }
  }
  return {
    paths: [...found],
    problems: [...problems].map(([path, reason]) => ({ path, reason })),
  };
}

/**
 * Number of addresses to add in one batch, which takes about 5 ms. The process can do other work between two batches.
 */
const ADDRESSES_AT_ONCE = 1_000;
const TOO_MANY_ADDRESSES = `the sitemaps list more than ${ADDRESSES_MAX.toLocaleString('en')} addresses`;

function refusalOf(
  url: URL | undefined,
  { isAllowed, depth, files }: { isAllowed: Deps['isAllowed']; depth: number; files: number },
): string | undefined {
  if (url === undefined) return 'the sitemap belongs to another site';
  if (depth > DEPTH_MAX) return `sitemaps are nested more than ${DEPTH_MAX} levels deep`;
  if (files >= FILES_MAX) return `there are more than ${FILES_MAX} sitemaps`;
  return isAllowed(url) ? undefined : 'robots.txt forbids the sitemap';
}

/** A sitemap that was read. `isPage` means that the server sent HTML. `base` is the final address of the sitemap. */
type Read = SitemapContent & { base: string; problem?: string; isPage: boolean };

/** Reads a sitemap. Returns `undefined` if the sitemap is missing, or redirects to a sitemap that is read anyway. */
async function fetchSitemap(
  from: URL,
  deps: Deps & { seen: Set<string> },
): Promise<Read | undefined> {
  let url = from;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const answer = await deps.request({
      url,
      accept: 'application/xml, text/xml, text/plain;q=0.8, */*;q=0.5',
      maxBytes: BYTES_MAX,
      isStartEnough: true,
      signal: deps.signal,
    });
    if (answer.kind === 'gone') return undefined;
    if (answer.kind === 'body') return await readBody(answer, url, deps.signal);
    if (answer.kind !== 'redirect') return unread(url, unreadableAs(answer));
    const to = addressIn(deps.site, answer.to, url.href);
    if (to === undefined) return unread(url, 'the sitemap redirects to another site');
    if (!deps.isAllowed(to))
      return unread(url, `the sitemap redirects to ${pathOf(to)}, which robots.txt forbids`);
    if (to.href !== url.href && deps.seen.has(to.href)) return undefined;
    deps.seen.add(to.href);
    url = to;
  }
  return unread(from, `the sitemap has more than ${REDIRECTS_MAX} redirects`);
}

function unreadableAs(answer: Exclude<Answer, { kind: 'body' | 'gone' | 'redirect' }>): string {
  const why = answer.kind === 'failed' ? answer.reason : 'the server sent nothing';
  return `the sitemap cannot be read: ${why}`;
}

function unread(url: URL, problem: string, isPage = false): Read {
  return { pages: [], sitemaps: [], base: url.href, problem, isPage };
}

async function readBody(
  { bytes, headers, isCut }: Extract<Answer, { kind: 'body' }>,
  url: URL,
  signal: AbortSignal,
): Promise<Read> {
  const plain = isGzip(bytes)
    ? await inflateStart(bytes, 'gzip', BYTES_MAX)
    : { bytes, isCut: isCut === true };
  if ('problem' in plain) return unread(url, `the sitemap cannot be read: ${plain.problem}`);
  const charset = /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(headers.get('content-type') ?? '');
  const read = await readSitemap(
    plain.bytes,
    { charset: charset?.[1] ?? null, addressesMax: ADDRESSES_MAX },
    () => breathe(undefined, { signal }),
  );
  const isPage =
    mediaTypeOf(headers.get('content-type')) === 'text/html' && read?.format === undefined;
  if (read === undefined) return unread(url, 'the content is not a sitemap', isPage);
  const content = { pages: read.pages, sitemaps: read.sitemaps, base: url.href, isPage: false };
  if (plain.isCut)
    return { ...content, problem: 'the sitemap is larger than 10 MB: only its first part is read' };
  return read.isWhole ? content : { ...content, problem: 'the sitemap is incomplete' };
}
