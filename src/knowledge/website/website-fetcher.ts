import { monotonicMs } from '../../clock.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { ExtractOne, Extractor } from '../formats/extractor.ts';
import {
  FetchRefused,
  type Fetched,
  type FetchEnd,
  type Fetcher,
  type FetchInput,
  type Validators,
} from '../sources/fetching.ts';
import { Crawl } from './crawl.ts';
import { createPace, type Pace } from './pace.ts';
import { createRequest, PAGE_TIMEOUT_MS, type Request } from './page-request.ts';
import { createPathFilter } from './path-patterns.ts';
import { readPage, type Page } from './read-page.ts';
import { fetchRobots, type Robots } from './robots.ts';
import { addressIn, isSameSite, pathOf, siteOf } from './site-address.ts';
import {
  hashOf,
  hashOfValidators,
  readCursor,
  SITEMAP,
  writeCursor,
  type SiteGraph,
} from './site-graph.ts';
import { fetchSitemaps, type Sitemaps } from './sitemaps.ts';

/** Defaults of `website` (contract §4). */
const MAX_DEPTH = 5;
const MAX_PAGES = 500;
const DELAY_MS = 500;
const SYNC_MS_MAX = 6 * 3_600_000;
const REDIRECTS_MAX = 5;
/** Counted up when pages are read in another way, so that those that have not changed are read again. */
const READING = 2;

type Settings = {
  url: string;
  maxDepth: number;
  maxPages: number;
  delayMs: number;
  include: readonly string[];
  exclude: readonly string[];
};

export type WebsiteDeps = {
  guard: AddressGuard;
  /** Reads what was fetched, elsewhere than in this thread. */
  extractFor: Extractor['extractFor'];
  version: string;
  /** Default: the system's resolver. */
  lookup?: Lookup | undefined;
  /** A PEM certificate trusted besides the system's; for tests. */
  tlsCa?: string | undefined;
  /** Of one page. */
  timeoutMs?: number;
  /** Of a sync. */
  syncMsMax?: number;
};

/** Reads websites (contract §4), and stops with what is under way. */
export function openWebsites(deps: WebsiteDeps): { fetch: Fetcher; stop: () => Promise<void> } {
  const { guard, timeoutMs = PAGE_TIMEOUT_MS } = deps;
  const egress = createEgressClient({
    guard,
    bodyGraceMs: timeoutMs,
    ...(deps.lookup && { lookup: deps.lookup }),
    ...(deps.tlsCa !== undefined && { tlsCa: deps.tlsCa }),
  });
  const request = createRequest({ egress, guard, userAgent: `parley/${deps.version}`, timeoutMs });
  return {
    fetch: (input) => fetchWebsite(input, { ...deps, request }),
    stop: egress.stop,
  };
}

type Deps = WebsiteDeps & { request: Request };

async function* fetchWebsite(
  input: FetchInput,
  deps: Deps,
): AsyncGenerator<Fetched, FetchEnd, void> {
  const settings = settingsOf(input.source.spec.website);
  // Whole milliseconds, whose sums are exact.
  const nowMs = (): number => Math.floor(monotonicMs());
  const endsMs = nowMs() + (deps.syncMsMax ?? SYNC_MS_MAX);
  const leaving = new AbortController();
  const signal = AbortSignal.any([input.signal, leaving.signal]);
  try {
    const key = keyOf(settings);
    const before = await readCursor(key, input.cursor);
    const pace = createPace({ delayMs: settings.delayMs, nowMs, signal });
    const extract = deps.extractFor(input.source.namespace);
    const visit = { ...deps, extract, input, pace, before, signal };
    const opened = await openSite(settings.url, visit);
    const crawl = new Crawl({
      ...settings,
      site: siteOf(opened.url),
      isWanted: createPathFilter(settings),
      isAllowed: opened.robots.isAllowed,
      before,
      known: input.known,
      read: (url, validators) => readKept(url, validators, visit),
      isLate: () => nowMs() > endsMs,
    });
    const listed = await listPages(settings, opened, visit);
    yield* crawl.run(opened, listed);
    if (crawl.isCut) return { unseen: 'keep', cursor: input.cursor };
    // Nobody knows what the sitemap listed before: an older version, or other settings, wrote that down.
    const isUnknown = listed.problems.length > 0 && before.size === 0 && input.cursor !== null;
    const cursor = isUnknown ? input.cursor : await writeCursor(key, crawl.graph);
    return { unseen: isUnknown ? 'keep' : 'remove', cursor };
  } finally {
    leaving.abort(new Error('nobody reads this website any more'));
  }
}

function settingsOf(website: FetchInput['source']['spec']['website']): Settings {
  if (website === undefined) throw new FetchRefused('NotSupported', 'it declares no website');
  return {
    url: website.url,
    maxDepth: website.maxDepth ?? MAX_DEPTH,
    maxPages: website.maxPages ?? MAX_PAGES,
    delayMs: website.delayMs ?? DELAY_MS,
    include: website.include ?? [],
    exclude: website.exclude ?? [],
  };
}

/** What was found of a site says nothing of another, or of other pages of it. */
function keyOf({ url, maxDepth, maxPages, include, exclude }: Settings): string {
  return hashOf(JSON.stringify([READING, url, maxDepth, maxPages, include, exclude]));
}

type Visit = Deps & {
  extract: ExtractOne;
  input: FetchInput;
  pace: Pace;
  before: SiteGraph;
  signal: AbortSignal;
};
type Opened = { url: URL; page: Page; robots: Robots };

/** The start page, wherever within its site it is, and what that site allows. */
async function openSite(address: string, visit: Visit): Promise<Opened> {
  const declared = new URL(address);
  let url = addressIn(siteOf(declared), address, address) ?? declared;
  const robots = new Map<string, Robots>();
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    requireUrl(url, visit.guard);
    const allowed = robots.get(url.origin) ?? (await robotsOf(url, visit));
    robots.set(url.origin, allowed);
    requireAllowed(url, allowed);
    const page = await readStart(url, visit);
    if (page.kind !== 'redirect') return { url, page: requireStart(page, url), robots: allowed };
    url = redirected(url, page.to, declared);
  }
  throw refusedStart('RedirectedTooOften', `there are more than ${REDIRECTS_MAX} redirects`, url);
}

function requireUrl(url: URL, guard: AddressGuard): void {
  const checked = checkUrl(url.href, guard);
  if ('problem' in checked) throw new FetchRefused('InvalidUrl', checked.problem);
}

async function robotsOf(url: URL, { request, pace, signal }: Visit): Promise<Robots> {
  const inTurn: Request = (ask) => pace.inTurn(() => request(ask));
  const robots = await fetchRobots(url.origin, { request: inTurn, signal });
  signal.throwIfAborted();
  if (robots.crawlDelayMs > 0) pace.slowTo(robots.crawlDelayMs);
  return robots;
}

function requireAllowed(url: URL, { isAllowed }: Robots): void {
  if (isAllowed(url)) return;
  throw new FetchRefused('ForbiddenByRobots', `robots.txt of ${url.host} forbids ${pathOf(url)}`);
}

async function readStart(url: URL, visit: Visit): Promise<Page> {
  const path = pathOf(url);
  const seen = visit.before.get(path)?.seen ?? null;
  const validators = seen === null ? undefined : await visit.input.known(path);
  const isSame = validators && hashOfValidators(validators) === seen?.validators;
  return await readKept(url, isSame ? validators : undefined, visit);
}

/** Reads a page. Its indexed text stays unless the answer clearly says that the page is gone. */
async function readKept(url: URL, validators: Validators | undefined, visit: Visit): Promise<Page> {
  const page = await readPage(url, validators, visit);
  const unclear = unclearAs(page, url);
  if (unclear === undefined) return page;
  const isIndexed = (await visit.input.known(pathOf(url))) !== undefined;
  return isIndexed ? { kind: 'failed', reason: unclear, isSite: false } : page;
}

/** Returns why an answer may come from a login, a bot check or a fault, or undefined if it is clear. */
function unclearAs(page: Page, url: URL): string | undefined {
  if (page.kind === 'skipped') return page.isUnclear === true ? page.reason : undefined;
  if (page.kind === 'document') {
    return page.text.trim() === '' && !page.noindex ? 'it has no text this time' : undefined;
  }
  if (page.kind !== 'redirect' || page.isLasting === true) return undefined;
  const isElsewhere = addressIn(siteOf(url), page.to, url.href) === undefined;
  return isElsewhere ? 'it leads to another site for now' : undefined;
}

function requireStart(page: Page, url: URL): Page {
  if (page.kind === 'failed') throw refusedStart('StartPageUnreachable', page.reason, url);
  if (page.kind === 'skipped') throw refusedStart('StartPageUnreadable', page.reason, url);
  return page;
}

function redirected(from: URL, to: string, declared: URL): URL {
  const target = URL.parse(to, from.href);
  if (target === null || !isSameSite(declared, target)) {
    const where = target?.origin ?? 'no address';
    throw refusedStart(
      'RedirectedElsewhere',
      `it leads to ${where}; declare that address, if it is the site that is meant`,
      from,
    );
  }
  const url = addressIn(siteOf(target), target.href, from.href) ?? target;
  if (url.href === from.href) {
    throw refusedStart('RedirectedTooOften', 'it leads to itself', from);
  }
  return url;
}

function refusedStart(reason: string, why: string, url: URL): FetchRefused {
  return new FetchRefused(reason, `the start page ${url.href} cannot be read: ${why}`);
}

async function listPages(
  { maxDepth }: Settings,
  { url, robots }: Opened,
  { request, pace, before, signal }: Visit,
): Promise<Sitemaps> {
  if (maxDepth === 0) return { addresses: [], problems: [] };
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
  // It may have named others.
  if (robots.problem !== undefined && hasListed) {
    const reason = `it cannot be read: ${robots.problem}`;
    listed.problems.unshift({ path: '/robots.txt', reason });
  }
  return listed;
}
