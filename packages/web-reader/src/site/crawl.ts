import { setImmediate as breathe } from 'node:timers/promises';
import { withAround } from '../html/page-contacts.ts';
import type { SiteEvent, Validators } from './site-event.ts';
import { CrawlReport, TOLD_MAX } from './crawl-report.ts';
import { LEFT_OUT, refusalOf, siteIsDown, tooManyPages, type CrawlDeps } from './crawl-deps.ts';
import { CanonicalPages, type DocumentPage, type HeldPage } from './canonical-pages.ts';
import { byLength, Frontier, type Target } from './frontier.ts';
import { inOrder } from './in-order.ts';
import type { Page } from './read-page.ts';
import { SiteFacts } from './site-facts.ts';
import { addressIn, pathOf, readable, urlOf } from './site-address.ts';
import type { Sitemaps } from './sitemaps.ts';
import { GraphBuilder, hashOf, hashOfValidators, linksOf, SITEMAP } from './site-graph.ts';

/** Number of consecutive unreachable pages after which the site counts as down. */
const DOWN_AFTER = 25;
/** Number of links to check before the event loop may run other work. Each robots.txt check takes up to 4 ms. */
const LINKS_AT_ONCE = 5;
const AHEAD_MAX = 32;
const AHEAD_CHARS_MAX = 4_000_000;
const REDIRECTS_MAX = 5;
const NO_TEXT = 'the page has no text; content that scripts add in the browser is not read';

type Found = { depth: number; from: string; hops?: number; isCanonical?: boolean };

/**
 * One crawl of a site. It starts at the start page and proceeds level by level, and within a level from the shortest
 * address to the longest, so that the result is repeatable.
 */
export class Crawl {
  /** Whether the crawl ended early because its time limit had passed. */
  isCut = false;
  readonly #deps: CrawlDeps;
  readonly #frontier: Frontier;
  readonly #graph = new GraphBuilder();
  readonly graph = this.#graph.graph;
  #queue: Target[] = [];
  #nextLevel: Target[] = [];
  /** Paths of pages that have no indexed document, because they redirect or were skipped. */
  readonly #lost = new Set<string>();
  /** Maps the hash of each text to the path of the first page with that text. */
  readonly #texts = new Map<string, string>();
  readonly #canonical = new CanonicalPages();
  readonly #facts: SiteFacts;
  readonly #unread = new Set<string>();
  #linkedBefore: Map<string, string[]> | undefined;
  readonly #report = new CrawlReport();
  #kept = 0;
  #pending = 0;
  #requests = 0;
  #attempted = 0;
  #unreachable = 0;
  #inARow = 0;
  #lastReason = '';

  constructor(deps: CrawlDeps) {
    this.#deps = deps;
    this.#facts = new SiteFacts(deps.before);
    this.#frontier = new Frontier(Math.max(20_000, 5 * deps.maxPages));
  }

  /** Crawls from `start` and from `listed.paths`, which it empties. @throws SiteRefused if the site is unreachable */
  async *run(
    start: { url: URL; page: Page },
    listed: Sitemaps,
  ): AsyncGenerator<SiteEvent, void, void> {
    const target = this.#begin(start.url);
    await this.#settle(target, start.page);
    if (this.#deps.maxDepth > 0) {
      await this.#considerAll(listed.paths.splice(0), { depth: 1, from: SITEMAP });
      // The pages that an unreadable sitemap listed in the last sync may still exist, so they are requested.
      if (listed.problems.length > 0) await this.#followBefore(SITEMAP, 0);
    }
    for (const { path, reason } of listed.problems) yield { kind: 'failed', path, reason };
    yield* this.#levels();
    await this.#considerMore();
    yield* this.#levels();
    await this.#tellRedirects();
    yield* this.#levels();
    for (const path of this.#canonical.awaited) this.#release(path);
    yield* this.#report.take();
    if (this.#facts.hasLost) this.#graph.compare(...this.graph.keys());
    yield* this.#tellRest();
    if (this.#unreachable * 2 > this.#attempted) {
      throw siteIsDown(this.#unreachable, this.#attempted, this.#lastReason);
    }
  }

  #begin(url: URL): Target {
    this.#frontier.admit(url);
    const path = pathOf(url);
    this.#graph.add(path, 0, this.#deps.before.get(path));
    this.#pending += 1;
    return { path, depth: 0, hops: 0, isCanonical: false };
  }

  /** Reads level by level until no new pages are found. */
  async *#levels(): AsyncGenerator<SiteEvent, void, void> {
    let told = 0;
    do {
      this.#queue.push(...this.#nextLevel.sort(byLength));
      this.#nextLevel = [];
      for await (const { item, outcome } of this.#readQueue()) {
        await this.#settle(item, outcome);
        if (this.#frontier.size !== told) {
          told = this.#frontier.size;
          yield { kind: 'found', count: told };
        }
        yield* this.#report.take();
      }
      yield* this.#report.take();
    } while (this.#nextLevel.length > 0 && !this.#isOver());
  }

  #readQueue(): AsyncGenerator<{ item: Target; outcome: Page }, void, void> {
    return inOrder<Target, Page>({
      next: () => this.#next(),
      run: async (target) =>
        await this.#deps.read(
          urlOf(this.#deps.site, target.path),
          await this.#validatorsOf(target),
        ),
      aheadMax: AHEAD_MAX,
      weigh: (page) => (page.kind === 'document' ? page.text.length : 0),
      weightMax: AHEAD_CHARS_MAX,
    });
  }

  #next(): Target | undefined {
    if (this.#isOver() || this.#kept + this.#pending >= this.#deps.maxPages) return undefined;
    const target = this.#queue.shift();
    if (target === undefined) return undefined;
    this.#pending += 1;
    this.#requests += 1;
    return target;
  }

  #isOver(): boolean {
    this.isCut ||= this.#deps.isLate();
    // Ends the crawl of a site that generates endless addresses without documents.
    const isTooMuch = this.#requests >= 3 * this.#deps.maxPages + 1_000;
    return this.isCut || isTooMuch || this.#kept >= this.#deps.maxPages;
  }

  /**
   * Returns the validators for a conditional request, or `undefined` if the page must be read completely. A 304
   * response contains no links, so the link graph must already have the page's links.
   */
  async #validatorsOf({ path }: Target): Promise<Validators | undefined> {
    const { seen = null, isCompared = false } = this.#deps.before.get(path) ?? {};
    if (seen === null || isCompared) return undefined;
    const validators = await this.#deps.known(path);
    return validators && hashOfValidators(validators) === seen.validators ? validators : undefined;
  }

  async #settle(target: Target, page: Page): Promise<void> {
    this.#pending -= 1;
    this.#attempted += 1;
    if (page.kind !== 'failed' || !page.isSite) this.#inARow = 0;
    if (!(await this.#take(target, page))) this.#release(target.path);
  }

  /** Processes a page. Returns true if the page names a canonical page that must be read first. */
  async #take(target: Target, page: Page): Promise<boolean> {
    switch (page.kind) {
      case 'document':
        return await this.#document(target, page);
      case 'unchanged':
        await this.#unchanged(target);
        break;
      case 'redirect':
        await this.#redirect(target, page.to);
        break;
      case 'skipped':
        this.#skip(target.path, page.reason);
        break;
      case 'failed':
        await this.#failed(target, page);
    }
    return false;
  }

  async #document(target: Target, page: DocumentPage): Promise<boolean> {
    const { path } = target;
    if (!page.nofollow) await this.#follow(target, page.links);
    if (page.noindex) this.#skip(path, 'the page forbids indexing (noindex)');
    else if (!this.#deps.isWanted(urlOf(this.#deps.site, path))) this.#skip(path, LEFT_OUT);
    else if (page.text.trim() === '') this.#skip(path, NO_TEXT);
    else return this.#isHeld(target, page);
    return false;
  }

  #isHeld(target: Target, page: DocumentPage): boolean {
    const canonical = this.#canonicalOf(target, page.canonical);
    if (canonical === undefined) {
      this.#keep(target, page);
      return false;
    }
    if (this.#canonical.hold({ target, page, canonical })) this.#release(canonical);
    return true;
  }

  #keep(target: Target, page: DocumentPage): void {
    const { path, depth } = target;
    if (this.#kept >= this.#deps.maxPages) return this.#skip(path, tooManyPages(this.#deps));
    const text = page.text.trim();
    const hash = hashOf(text);
    this.#canonical.remember(path, text);
    if (this.#isDouble(path, hash)) return;
    const { validators, language } = page;
    const seen = hashOfValidators(validators);
    const facts = this.#facts.take(path, page.around ?? '', depth === 0);
    const read = seen === null ? null : { validators: seen, text: hash };
    this.#graph.read(path, read, facts.hashes);
    this.#kept += 1;
    const { href, pathname } = urlOf(this.#deps.site, target.path);
    const about = { title: page.title ?? readable(pathname), url: href, language, validators };
    this.#report.add({ kind: 'document', path, text: withAround(text, facts.lines), ...about });
  }

  async #unchanged(target: Target): Promise<void> {
    const { path } = target;
    const seen = this.#deps.before.get(path)?.seen ?? null;
    await this.#followBefore(path, target.depth);
    if (seen !== null && this.#isDouble(path, seen.text)) return;
    this.#graph.read(path, seen, this.#facts.carry(path));
    this.#kept += 1;
    this.#report.add({ kind: 'unchanged', path });
  }

  async #failed({ path, depth }: Target, page: Extract<Page, { kind: 'failed' }>): Promise<void> {
    // Follows the links that the page had in the last sync, because the pages behind them may still exist.
    await this.#followBefore(path, depth);
    const seen = this.#deps.before.get(path)?.seen ?? null;
    this.#graph.read(path, seen, this.#facts.carry(path));
    if (seen !== null) this.#kept += 1;
    this.#report.add({ kind: 'failed', path, reason: page.reason });
    this.#unread.add(path);
    if (!page.isSite) return;
    this.#unreachable += 1;
    this.#inARow += 1;
    this.#lastReason = page.reason;
    if (this.#inARow >= DOWN_AFTER)
      throw siteIsDown(this.#unreachable, this.#attempted, this.#lastReason);
  }

  async #redirect(target: Target, to: string): Promise<void> {
    const { path, depth, hops } = target;
    const url = addressIn(this.#deps.site, to, urlOf(this.#deps.site, path).href);
    if (url === undefined) return this.#skip(path, 'the page redirects to another site');
    const next = pathOf(url);
    if (hops >= REDIRECTS_MAX) return this.#broken(target, `more than ${REDIRECTS_MAX} redirects`);
    if (this.#canonical.leadsTo(next, path)) return this.#broken(target, 'circular redirects');
    this.#consider(url, { depth, from: path, hops: hops + 1 });
    this.#canonical.redirect(path, { next, depth });
    this.#lost.add(path);
  }

  async #broken(target: Target, what: string): Promise<void> {
    await this.#failed(target, { kind: 'failed', reason: `there are ${what}`, isSite: false });
  }

  /** Indexes or skips the documents that name the page `settled` as canonical, once that page has been read. */
  #release(settled: string): void {
    for (const { held, path } of this.#canonical.settle(settled)) this.#decide(held, path);
  }

  /** Skips a document if its canonical page contains all of its text (RFC 6596, 3). Otherwise indexes the document. */
  #decide({ target, page, canonical }: HeldPage, path: string): void {
    const text = page.text.trim();
    const isSame = this.graph.get(path)?.seen?.text === hashOf(text);
    const hasAll = isSame || this.#canonical.hasAll(path, text);
    // If the text of the canonical page is unknown (status 304), nothing can be compared, so the next sync reads both
    // pages completely.
    const isUnknown = !isSame && hasAll !== false && !this.#lost.has(path);
    if (isUnknown) this.#graph.compare(path, target.path);
    if (hasAll === true)
      return this.#skip(target.path, `the canonical address of the page is ${canonical}`);
    this.#canonical.own(target.path);
    this.#keep(target, page);
  }

  /**
   * Reports each page that redirects. If the page was indexed and the target could not be read, the page counts as
   * failed: it stays indexed, and the links that it had in the last sync are followed. Otherwise the page counts as
   * skipped.
   */
  async #tellRedirects(): Promise<void> {
    for (const [path, redirect] of this.#canonical.redirects) {
      const end = this.#canonical.endOf(redirect);
      const isUnread = this.#unread.has(end) && (await this.#deps.known(path)) !== undefined;
      const reason = `the page redirects to ${redirect.next}`;
      if (isUnread) {
        this.#report.add({ kind: 'failed', path, reason: `${reason}, which could not be read` });
        await this.#followBefore(path, redirect.depth);
      } else this.#skip(path, reason);
    }
  }

  /**
   * Returns the path of the canonical page, or `undefined` if that is the page itself or its address cannot be used.
   */
  #canonicalOf(target: Target, canonical: string | null): string | undefined {
    if (canonical === null || target.isCanonical) return undefined;
    const url = addressIn(this.#deps.site, canonical, urlOf(this.#deps.site, target.path).href);
    if (url === undefined) return undefined;
    const path = pathOf(url);
    if (this.#lost.has(path) || this.#canonical.leadsTo(path, target.path)) return undefined;
    const found = { depth: target.depth, from: target.path, isCanonical: true };
    if (!this.#consider(url, found)) return undefined;
    this.#canonical.alias(target.path, path);
    return path;
  }

  #isDouble(path: string, hash: string): boolean {
    const first = this.#texts.get(hash);
    if (first === undefined) this.#texts.set(hash, path);
    else this.#skip(path, `the page has the same text as ${first}`);
    return first !== undefined;
  }

  async #follow(target: Target, links: readonly string[]): Promise<void> {
    if (target.depth >= this.#deps.maxDepth) return;
    const base = urlOf(this.#deps.site, target.path).href;
    const urls = links.map((link) => addressIn(this.#deps.site, link, base));
    await this.#considerAll(urls, { depth: target.depth + 1, from: target.path });
  }

  /** Queues the pages that a page linked to in the last sync. */
  async #followBefore(from: string, depth: number): Promise<void> {
    this.#linkedBefore ??= linksOf(this.#deps.before);
    const next = Math.min(depth + 1, this.#deps.maxDepth);
    await this.#considerAll(this.#linkedBefore.get(from) ?? [], { depth: next, from });
  }

  /**
   * Queues each page that had more incoming links in the last sync than the graph stores. The page is requested even if
   * all stored links are gone, because a link that is not stored may still exist.
   */
  async #considerMore(): Promise<void> {
    for (const [path, { hasMore, depth }] of this.#deps.before) {
      if (!hasMore || this.#frontier.has(path)) continue;
      await this.#considerAll([path], { depth, from: path });
    }
  }

  /** Queues many addresses. The event loop may run other work in between. */
  async #considerAll(urls: readonly (URL | string | undefined)[], found: Found): Promise<void> {
    for (const [at, one] of urls.entries()) {
      if (at % LINKS_AT_ONCE === 0) await breathe();
      const url = typeof one === 'string' ? urlOf(this.#deps.site, one) : one;
      if (url) this.#consider(url, found);
    }
  }

  /**
   * Queues an address, unless it was queued before or may not be requested. Returns true if it is queued now or was
   * queued before.
   */
  #consider(url: URL, { depth, from, hops = 0, isCanonical = false }: Found): boolean {
    const path = pathOf(url);
    if (this.#report.isRefused(path)) return false;
    if (!this.#frontier.has(path)) {
      const refusal = refusalOf(url, this.#deps);
      if (refusal !== undefined) {
        this.#report.refuse(path, refusal);
        return false;
      }
      const { isNew, trap } = this.#frontier.admit(url);
      if (trap !== undefined) this.#report.refuse(path, trap);
      if (!isNew) return false;
      this.#graph.add(path, depth, this.#deps.before.get(path));
      this.#enqueue({ path, depth, hops, isCanonical });
    }
    this.#graph.link(path, from);
    return true;
  }

  #enqueue(target: Target): void {
    // Targets of redirects and canonical pages belong to the current level, not to the next one.
    const isNow = target.hops > 0 || target.isCanonical;
    if (target.isCanonical) this.#queue.unshift(target);
    else (isNow ? this.#queue : this.#nextLevel).push(target);
  }

  #skip(path: string, reason: string): void {
    this.#lost.add(path);
    this.#report.add({ kind: 'skipped', path, reason });
  }

  *#tellRest(): Generator<SiteEvent, void, void> {
    const rest = [...this.#queue, ...this.#nextLevel].slice(0, TOLD_MAX);
    for (const { path } of rest) {
      yield this.isCut
        ? { kind: 'failed', path, reason: 'the sync reached its time limit' }
        : { kind: 'skipped', path, reason: tooManyPages(this.#deps) };
    }
  }
}
