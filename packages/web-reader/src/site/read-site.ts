import { Crawl } from './crawl.ts';
import { createPace, type Pace } from './pace.ts';
import type { Request } from './page-request.ts';
import { createPathFilter } from './path-patterns.ts';
import { readPage, type ExtractPage, type Page } from './read-page.ts';
import { fetchRobots, type Robots } from './robots.ts';
import { addressIn, isSameSite, pathOf, siteOf } from './site-address.ts';
import { SiteRefused, type SiteEvent, type Validators } from './site-event.ts';
import {
  hashOf,
  hashOfValidators,
  readCursor,
  SITEMAP,
  writeCursor,
  type SiteGraph,
} from './site-graph.ts';
import { fetchSitemaps, type Sitemaps } from './sitemaps.ts';

const REDIRECTS_MAX = 5;
/**
 * Version of the code that reads pages. After an increase, the next sync reads all pages again, even unchanged ones.
 */
const READING = 2;

/** Settings that select the pages of a site, and the minimum delay between requests. */
export type SiteSettings = {
  /** The start page. */
  url: string;
  maxDepth: number;
  maxPages: number;
  /** Minimum time in ms between the starts of two requests. */
  delayMs: number;
  /** Path patterns (see path-patterns.ts). An empty list includes all pages. */
  include: readonly string[];
  exclude: readonly string[];
};

export type SiteDeps = {
  /** Makes one GET request (page-request.ts). */
  request: Request;
  /** Extracts the text of the documents that the site sends. */
  extract: ExtractPage;
  /** Returns a sentence that says why an address must not be requested, or `undefined` if it may be. */
  refusalOf: (url: URL) => string | undefined;
  /** Product token of this robot in robots.txt and `X-Robots-Tag`, in lower case. */
  agent: string;
  clock: {
    /** Returns milliseconds since an arbitrary point in time. The value never decreases. */
    monotonicMs: () => number;
    delay: (ms: number, options: { signal: AbortSignal }) => Promise<unknown>;
  };
  /** Time limit of the crawl in ms. After it, no further page is read. */
  msMax: number;
  /** Returns the validators that a page had when it was last read, or `undefined` if the page is not indexed. */
  known: (path: string) => Promise<Validators | undefined>;
  /** Cursor returned by the last complete crawl; `null` if there is none. */
  cursor: string | null;
  signal: AbortSignal;
};

export type SiteEnd = {
  /**
   * What to do with indexed pages that this crawl did not report: `remove` if it reported all current pages of the
   * site, otherwise `keep`.
   */
  unseen: 'remove' | 'keep';
  cursor: string | null;
};

/**
 * Reads a site from its start page, including the pages that its sitemaps list. Yields each page once.
 * @throws SiteRefused if the site as a whole cannot be read, or the signal's reason if the signal aborts
 */
export async function* readSite(
  settings: SiteSettings,
  deps: SiteDeps,
): AsyncGenerator<SiteEvent, SiteEnd, void> {
  // Rounds to whole milliseconds, because sums of whole numbers are exact.
  const nowMs = (): number => Math.floor(deps.clock.monotonicMs());
  const endsMs = nowMs() + deps.msMax;
  const leaving = new AbortController();
  const signal = AbortSignal.any([deps.signal, leaving.signal]);
  try {
    const key = keyOf(settings);
    const before = await readCursor(key, deps.cursor);
    const { delayMs } = settings;
    const pace = createPace({ delayMs, nowMs, delay: deps.clock.delay, signal });
    const visit = { ...deps, pace, before, signal };
    const opened = await openSite(settings.url, visit);
    const crawl = new Crawl({
      ...settings,
      site: siteOf(opened.url),
      isWanted: createPathFilter(settings),
      isAllowed: opened.robots.isAllowed,
      before,
      known: deps.known,
      read: (url, validators) => readKept(url, validators, visit),
      isLate: () => nowMs() > endsMs,
    });
    const listed = await listPages(settings, opened, visit);
    yield* crawl.run(opened, listed);
    if (crawl.isCut) return { unseen: 'keep', cursor: deps.cursor };
    // If a sitemap is unreadable and the cursor comes from an older version or from other settings, the pages that this
    // sitemap listed in the last sync are unknown. Therefore no page is removed.
    const isUnknown = listed.problems.length > 0 && before.size === 0 && deps.cursor !== null;
    const cursor = isUnknown ? deps.cursor : await writeCursor(key, crawl.graph);
    return { unseen: isUnknown ? 'keep' : 'remove', cursor };
  } finally {
    leaving.abort(new Error('reading the website has ended'));
  }
}

/** Returns the key of the cursor. A cursor is valid only for the same site and the same selection of pages. */
function keyOf({ url, maxDepth, maxPages, include, exclude }: SiteSettings): string {
  return hashOf(JSON.stringify([READING, url, maxDepth, maxPages, include, exclude]));
}

type Visit = SiteDeps & { pace: Pace; before: SiteGraph };
type Opened = { url: URL; page: Page; robots: Robots };

/** Finds the start page by following redirects, and reads the robots.txt of the start page's site. */
async function openSite(address: string, visit: Visit): Promise<Opened> {
  const declared = new URL(address);
  let url = addressIn(siteOf(declared), address, address) ?? declared;
  const robots = new Map<string, Robots>();
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    requireUrl(url, visit);
    const allowed = robots.get(url.origin) ?? (await robotsOf(url, visit));
    robots.set(url.origin, allowed);
    requireAllowed(url, allowed);
    const page = await readStart(url, visit);
    if (page.kind !== 'redirect') return { url, page: requireStart(page, url), robots: allowed };
    url = redirected(url, page.to, declared);
  }
  throw refusedStart('RedirectedTooOften', `there are more than ${REDIRECTS_MAX} redirects`, url);
}

function requireUrl(url: URL, { refusalOf }: Visit): void {
  const refusal = refusalOf(url);
  if (refusal !== undefined) throw new SiteRefused('InvalidUrl', refusal);
}

async function robotsOf(url: URL, { request, agent, pace, signal }: Visit): Promise<Robots> {
  const inTurn: Request = (ask) => pace.inTurn(() => request(ask));
  const robots = await fetchRobots(url.origin, { request: inTurn, agent, signal });
  signal.throwIfAborted();
  if (robots.crawlDelayMs > 0) pace.slowTo(robots.crawlDelayMs);
  return robots;
}

function requireAllowed(url: URL, { isAllowed }: Robots): void {
  if (isAllowed(url)) return;
  throw new SiteRefused('ForbiddenByRobots', `robots.txt of ${url.host} forbids ${pathOf(url)}`);
}

async function readStart(url: URL, visit: Visit): Promise<Page> {
  const path = pathOf(url);
  const seen = visit.before.get(path)?.seen ?? null;
  const validators = seen === null ? undefined : await visit.known(path);
  const isSame = validators && hashOfValidators(validators) === seen?.validators;
  return await readKept(url, isSame ? validators : undefined, visit);
}

/**
 * Reads a page. If the response does not clearly say that the page was deleted, an indexed page counts as failed, which
 * keeps its text.
 */
async function readKept(url: URL, validators: Validators | undefined, visit: Visit): Promise<Page> {
  const page = await readPage(url, validators, visit);
  const unclear = unclearAs(page, url);
  if (unclear === undefined) return page;
  const isIndexed = (await visit.known(pathOf(url))) !== undefined;
  return isIndexed ? { kind: 'failed', reason: unclear, isSite: false } : page;
}

/**
 * Returns why a response may come from a login page, a bot check or a server error, or `undefined` if it clearly comes
 * from the page.
 */
function unclearAs(page: Page, url: URL): string | undefined {
  if (page.kind === 'skipped') return page.isUnclear === true ? page.reason : undefined;
  if (page.kind === 'document') {
    return page.text.trim() === '' && !page.noindex ? 'the page no longer has any text' : undefined;
  }
  if (page.kind !== 'redirect' || page.isLasting === true) return undefined;
  const isElsewhere = addressIn(siteOf(url), page.to, url.href) === undefined;
  return isElsewhere ? 'the page temporarily redirects to another site' : undefined;
}

function requireStart(page: Page, url: URL): Page {
  if (page.kind === 'failed') throw refusedStart('StartPageUnreachable', page.reason, url);
  if (page.kind === 'skipped') throw refusedStart('StartPageUnreadable', page.reason, url);
  return page;
}

function redirected(from: URL, to: string, declared: URL): URL {
  const target = URL.parse(to, from.href);
  if (target === null || !isSameSite(declared, target)) {
    const where = target?.origin ?? 'an invalid address';
    throw refusedStart(
      'RedirectedElsewhere',
      `the page redirects to ${where}; if that site is intended, set \`website.url\` to its address`,
      from,
    );
  }
  const url = addressIn(siteOf(target), target.href, from.href) ?? target;
  if (url.href === from.href) {
    throw refusedStart('RedirectedTooOften', 'the page redirects to itself', from);
  }
  return url;
}

function refusedStart(reason: string, why: string, url: URL): SiteRefused {
  return new SiteRefused(reason, `the start page ${url.href} cannot be read: ${why}`);
}

async function listPages(
  { maxDepth }: SiteSettings,
  { url, robots }: Opened,
  { request, pace, before, signal }: Visit,
): Promise<Sitemaps> {
  if (maxDepth === 0) return { paths: [], problems: [] };
  const hasListed = [...before.values()].some(({ from }) => from.includes(SITEMAP));
  const listed = await fetchSitemaps({
    site: siteOf(url),
    named: robots.sitemaps,
    hasListed,
    request: (ask) => pace.inTurn(() => request(ask)),
    isAllowed: robots.isAllowed,
    signal,
  });
  signal.throwIfAborted();
  // An unreadable robots.txt counts as a sitemap problem, because it may name further sitemaps.
  if (robots.problem !== undefined && hasListed) {
    const reason = `robots.txt cannot be read: ${robots.problem}`;
    listed.problems.unshift({ path: '/robots.txt', reason });
  }
  return listed;
}
