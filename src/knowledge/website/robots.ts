import untypedParser from 'robots-parser';
import { FetchRefused } from '../sources/fetching.ts';
import { isSameSite } from './site-address.ts';
import type { Answer, Request } from './page-request.ts';

/** What a site allows us (RFC 9309). */
export type Robots = {
  isAllowed: (url: URL) => boolean;
  crawlDelayMs: number;
  sitemaps: string[];
};

/** Its types are those of a module with a default, which it is not. */
const parseRobots = untypedParser as unknown as typeof untypedParser.default;

const AGENT = 'parley';
/** RFC 9309 (2.5): at least so much is read; what is behind it is not. */
const BYTES_MAX = 500 * 1024;
const LINES_MAX = 10_000;
const REDIRECTS_MAX = 5;
const CRAWL_DELAY_MAX_MS = 60_000;

/**
 * A site without the file, or that answers 4xx, allows everything; one that cannot be reached nothing.
 * @throws FetchRefused
 */
export async function fetchRobots(
  origin: string,
  deps: { request: Request; signal: AbortSignal },
): Promise<Robots> {
  let url = new URL('/robots.txt', origin);
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const answer = await deps.request({
      url,
      accept: 'text/plain, */*;q=0.5',
      maxBytes: BYTES_MAX,
      signal: deps.signal,
    });
    if (answer.kind !== 'redirect') return readRobots(origin, textOf(answer, url));
    const to = URL.parse(answer.to, url.href);
    if (to === null || !isSameSite(new URL(origin), to)) break;
    url = to;
  }
  return readRobots(origin, '');
}

function textOf(answer: Answer, url: URL): string {
  if (answer.kind === 'body') return answer.bytes.toString('utf8');
  // Never by plain HTTP instead: whoever stands in between would write what is read.
  if (answer.kind === 'failed' && answer.isTls) {
    throw new FetchRefused('TlsFailed', `${url.origin} cannot be read: ${answer.reason}`);
  }
  if (answer.kind === 'failed' && answer.isSite) {
    throw new FetchRefused(
      'RobotsUnreachable',
      `${url.href} cannot be read, so nothing of the site may be: ${answer.reason}`,
    );
  }
  if (answer.kind === 'failed' && answer.reason.startsWith('it is larger')) {
    throw new FetchRefused('RobotsUnreadable', `${url.href} cannot be read: ${answer.reason}`);
  }
  return '';
}

export function readRobots(origin: string, text: string): Robots {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n?|\n/);
  if (lines.length > LINES_MAX) {
    const most = LINES_MAX.toLocaleString('en');
    throw new FetchRefused(
      'RobotsUnreadable',
      `${origin}/robots.txt cannot be read: it has more than ${most} lines`,
    );
  }
  const robots = parseRobots(`${origin}/robots.txt`, lines.join('\n'));
  const delaySec = robots.getCrawlDelay(AGENT) ?? 0;
  return {
    isAllowed: (url) => robots.isAllowed(url.href, AGENT) !== false,
    crawlDelayMs: delaySec > 0 ? Math.min(delaySec * 1000, CRAWL_DELAY_MAX_MS) : 0,
    sitemaps: robots.getSitemaps(),
  };
}
