import { SiteRefused } from './site-event.ts';
import type { Answer, Request } from './page-request.ts';
import { readRobotsRules } from './robots-rules.ts';

/** Permissions that a site gives to this robot (RFC 9309). */
export type Robots = {
  isAllowed: (url: URL) => boolean;
  crawlDelayMs: number;
  sitemaps: string[];
  /** Reason why robots.txt could not be read. In that case, the sitemaps that it names are unknown. */
  problem?: string;
};

/**
 * Maximum number of bytes of robots.txt that are read. RFC 9309 (2.5) requires at least this size. Bytes beyond it are
 * ignored.
 */
const BYTES_MAX = 500 * 1024;
const REDIRECTS_MAX = 5;
const CRAWL_DELAY_MAX_MS = 60_000;

/**
 * Reads the robots.txt of a site. A response with a 4xx status, such as a missing file, allows everything. If the file
 * cannot be reached, no page of the site may be read. Follows up to five redirects, even to other hosts (RFC 9309,
 * 2.3.1.2).
 * @throws SiteRefused if the file cannot be reached
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
    // Never follows a redirect from HTTPS to plain HTTP, where an attacker on the network could change the rules.
    if (url.protocol === 'https:' && to.protocol === 'http:') break;
    url = to;
  }
  return {
    ...readRobots(origin, '', deps.agent),
    problem: 'its redirects do not lead to a readable file',
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
    ? { ...robots, problem: 'the server sends an HTML page instead of a text file' }
    : robots;
}

function textOf(answer: Answer, url: URL): string {
  if (answer.kind === 'body') {
    const text = new TextDecoder().decode(answer.bytes);
    // Drops the last line of a truncated file, because a truncated rule has a different meaning.
    return answer.isCut === true ? text.slice(0, lastLineEnd(text)) : text;
  }
  // Does not try plain HTTP after a TLS failure, because an attacker on the network could change what is sent over
  // HTTP.
  if (answer.kind === 'failed' && answer.isTls) {
    throw new SiteRefused('TlsFailed', `${url.origin} cannot be read: ${answer.reason}`);
  }
  if (answer.kind === 'failed' && answer.isSite) {
    throw new SiteRefused(
      'RobotsUnreachable',
      `${url.href} cannot be read, so no page of the site may be read: ${answer.reason}`,
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
