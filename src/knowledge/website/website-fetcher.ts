import * as clock from '../../clock.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { createEgressClient, type EgressClient } from '../../platform/egress/client.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import { retryAfterMs } from '../../platform/egress/retry-after.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Extractor } from '../formats/extractor.ts';
import {
  FetchRefused,
  type Fetched,
  type FetchEnd,
  type Fetcher,
  type FetchInput,
} from '../sources/fetching.ts';
import {
  createRequest,
  PAGE_TIMEOUT_MS,
  type Request,
  type Send,
} from '../../../packages/web-reader/src/site/page-request.ts';
import { readSite, type SiteSettings } from '../../../packages/web-reader/src/site/read-site.ts';
import { SiteRefused } from '../../../packages/web-reader/src/site/site-event.ts';

/** Default values of the fields in `website` (contract/knowledge.md#websites). */
const MAX_DEPTH = 5;
const MAX_PAGES = 500;
const DELAY_MS = 500;
const SYNC_MS_MAX = 6 * 3_600_000;
/** Product token of Parley's robot in robots.txt. */
const AGENT = 'parley';

export type WebsiteDeps = {
  guard: AddressGuard;
  /** Parses pages in a separate process. */
  extractFor: Extractor['extractFor'];
  version: string;
  /** Defaults to the system's resolver. */
  lookup?: Lookup | undefined;
  /** PEM certificate to trust in addition to the system's certificates. For tests. */
  tlsCa?: string | undefined;
  /** Timeout in ms for one page. */
  timeoutMs?: number;
  /** Time limit in ms for a whole sync. */
  syncMsMax?: number;
};

/** Creates the fetcher for websites (contract/knowledge.md#websites). `stop` ends its requests. */
export function openWebsites(deps: WebsiteDeps): { fetch: Fetcher; stop: () => Promise<void> } {
  const { guard, timeoutMs = PAGE_TIMEOUT_MS } = deps;
  const egress = createEgressClient({
    guard,
    bodyGraceMs: timeoutMs,
    ...(deps.lookup && { lookup: deps.lookup }),
    ...(deps.tlsCa !== undefined && { tlsCa: deps.tlsCa }),
  });
  const userAgent = `${AGENT}/${deps.version}`;
  const request = createGuardedRequest({ egress, guard, userAgent, timeoutMs });
  return {
    fetch: (input) => fetchWebsite(input, { ...deps, request }),
    stop: egress.stop,
  };
}

/**
 * Creates the function with which the site reader sends HTTP requests. It uses the egress client, and requests only
 * addresses that the guard allows.
 */
export function createGuardedRequest(deps: {
  egress: EgressClient;
  guard: AddressGuard;
  userAgent: string;
  timeoutMs: number;
}): Request {
  const { egress, guard, userAgent, timeoutMs } = deps;
  const send: Send = async (request) => {
    const outcome = await egress.send(request);
    if (outcome.kind === 'response') {
      return { ...outcome, retryAfterMs: retryAfterMs(outcome.headers, clock.epochMs()) };
    }
    return { kind: 'error', message: bare(outcome.message), isTls: outcome.errorClass === 'tls' };
  };
  return createRequest({ send, refusalOf: refusalBy(guard), userAgent, timeoutMs, clock });
}

function refusalBy(guard: AddressGuard): (url: URL) => string | undefined {
  return (url) => {
    const checked = checkUrl(url.href, guard);
    return 'problem' in checked ? checked.problem : undefined;
  };
}

/** Changes an error message of the egress client into a part of a sentence. */
function bare(sentence: string): string {
  return sentence.replace(/\.$/, '').replace(/^The server\b/, 'the server');
}

async function* fetchWebsite(
  { source, known, cursor, signal }: FetchInput,
  { guard, request, extractFor, syncMsMax = SYNC_MS_MAX }: WebsiteDeps & { request: Request },
): AsyncGenerator<Fetched, FetchEnd, void> {
  try {
    return yield* readSite(settingsOf(source.spec.website), {
      request,
      extract: extractFor(source.namespace),
      refusalOf: refusalBy(guard),
      agent: AGENT,
      clock,
      msMax: syncMsMax,
      known,
      cursor,
      signal,
    });
  } catch (error) {
    if (error instanceof SiteRefused) throw new FetchRefused(error.reason, error.message);
    throw error;
  }
}

function settingsOf(website: FetchInput['source']['spec']['website']): SiteSettings {
  if (website === undefined) throw new FetchRefused('NotSupported', 'the source has no `website`');
  return {
    url: website.url,
    maxDepth: website.maxDepth ?? MAX_DEPTH,
    maxPages: website.maxPages ?? MAX_PAGES,
    delayMs: website.delayMs ?? DELAY_MS,
    include: website.include ?? [],
    exclude: website.exclude ?? [],
  };
}
