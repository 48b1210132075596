import { SiteRefused, type Validators } from './site-event.ts';
import { trapOf } from './frontier.ts';
import type { Page } from './read-page.ts';
import type { Site } from './site-address.ts';
import type { SiteGraph } from './site-graph.ts';

export type CrawlDeps = {
  site: Site;
  maxDepth: number;
  maxPages: number;
  /** Returns true if the path patterns in the settings include a page. */
  isWanted: (url: URL) => boolean;
  /** Returns true if robots.txt permits the request. */
  isAllowed: (url: URL) => boolean;
  /** The link graph that the last sync stored. */
  before: SiteGraph;
  known: (path: string) => Promise<Validators | undefined>;
  read: (url: URL, validators: Validators | undefined) => Promise<Page>;
  isLate: () => boolean;
};

export const LEFT_OUT = 'the patterns in `include` and `exclude` leave the page out';

export function tooManyPages({ maxPages }: Pick<CrawlDeps, 'maxPages'>): string {
  return `the limit \`max_pages\` (${maxPages}) is reached`;
}

/**
 * Returns why an address must not be requested, or `undefined` if it may be. Checks the length of the address first,
 * because the time to match the patterns grows with it.
 */
export function refusalOf(url: URL, deps: CrawlDeps): string | undefined {
  const trap = trapOf(url);
  if (trap !== undefined) return trap;
  if (!deps.isWanted(url)) return LEFT_OUT;
  return deps.isAllowed(url) ? undefined : 'robots.txt forbids the page';
}

export function siteIsDown(unreachable: number, attempted: number, reason: string): SiteRefused {
  return new SiteRefused(
    'SiteUnreachable',
    `${unreachable} of ${attempted} pages could not be read; the last error: ${reason}`,
  );
}
