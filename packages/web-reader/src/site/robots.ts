import { SiteRefused } from './site-event.ts';
import type { Answer, Request } from './page-request.ts';
import { readRobotsRules } from './robots-rules.ts';

/** What a site allows us (RFC 9309). */
export type Robots = {
  isAllowed: (url: URL) => boolean;
  crawlDelayMs: number;
  sitemaps: string[];
  /** Why the file could not be read, so that it may name sitemaps that are not known now. */
  problem?: string;
};

/** RFC 9309 (2.5): at least so much is read; what is behind it is not. */
const BYTES_MAX = 500 * 1024;
const REDIRECTS_MAX = 5;
const CRAWL_DELAY_MAX_MS = 60_000;

/**
 * A site without the file, or that answers 4xx, allows everything; one that cannot be reached nothing. Five
 * redirects are followed, to other hosts too (RFC 9309, 2.3.1.2).
 * @throws SiteRefused
 */
export async function fetchRobots(
  origin: string,
  deps: { request: Request; agent: string; signal: AbortSignal },
): Promise<Robots> {
  let url = new URL('/robots.txt', origin);
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const answer = await deps.request({
      url,
      accept: 'text/plain, */*;q=0.5',
      maxBytes: BYTES_MAX,
      isStartEnough: true,
      signal: deps.signal,
    });
    if (answer.kind !== 'redirect') return answered(answer, { ...deps, origin, url });
    const to = URL.parse(answer.to, url.href);
    if (to === null || !/^https?:$/.test(to.protocol)) break;
    // On plain HTTP anybody in between could write the rules.
    if (url.protocol === 'https:' && to.protocol === 'http:') break;
    url = to;
  }
  return {
    ...readRobots(origin, '', deps.agent),
    problem: 'its redirects lead to nothing that can be read',
  };
}

function answered(
  answer: Answer,
  { origin, url, agent }: { origin: string; url: URL; agent: string },
): Robots {
  const text = textOf(answer, url);
  const robots = readRobots(origin, text, agent);
  if (answer.kind === 'gone') return robots;
  if (answer.kind === 'failed') return { ...robots, problem: answer.reason };
  return /^\s*</.test(text.slice(0, 1_000))
    ? { ...robots, problem: 'what the server sends there is a page' }
    : robots;
}

function textOf(answer: Answer, url: URL): string {
  if (answer.kind === 'body') {
    const text = new TextDecoder().decode(answer.bytes);
    // Half a rule is another rule.
    return answer.isCut === true ? text.slice(0, lastLineEnd(text)) : text;
  }
  // Never by plain HTTP instead: whoever stands in between would write what is read.
  if (answer.kind === 'failed' && answer.isTls) {
    throw new SiteRefused('TlsFailed', `${url.origin} cannot be read: ${answer.reason}`);
  }
  if (answer.kind === 'failed' && answer.isSite) {
    throw new SiteRefused(
      'RobotsUnreachable',
      `${url.href} cannot be read, so nothing of the site may be: ${answer.reason}`,
    );
  }
  return '';
}

function lastLineEnd(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
}

function readRobots(origin: string, text: string, agent: string): Robots {
  const { isAllowed, crawlDelaySec, sitemaps } = readRobotsRules(origin, text, agent);
  const crawlDelayMs = Math.min(Math.max(0, crawlDelaySec * 1000), CRAWL_DELAY_MAX_MS);
  return { isAllowed, crawlDelayMs, sitemaps };
}
