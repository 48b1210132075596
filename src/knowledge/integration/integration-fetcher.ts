import { clearTimeout, setTimeout } from '../../clock.ts';
import type { RequestSecrets } from '../../agents/tools/request-secrets.ts';
import { fromUuid } from '../../ids.ts';
import type { Extractor } from '../formats/extractor.ts';
import {
  FetchRefused,
  type FetchEnd,
  type Fetched,
  type Fetcher,
  type FetchInput,
} from '../sources/fetching.ts';
import { FEED_LIMITS, type FeedLimits } from './feed-limits.ts';
import { invalidFeed, tookTooLong, tooLarge, tooManyDocuments } from './feed-refused.ts';
import type { PageAnswer } from './read-answer.ts';
import { readDocument, type ReadingDeps } from './read-document.ts';
import { REQUEST_TIMES, requestPage, type RequestDeps, type RequestTimes } from './request-page.ts';

export type Integration = NonNullable<FetchInput['source']['spec']['integration']>;

export type IntegrationFetcherDeps = Pick<RequestDeps, 'send' | 'userAgent' | 'nowMs'> & {
  /** Extracts the text of documents that contain HTML. */
  extractFor: Extractor['extractFor'];
  /**
   * Reads the Secrets of the integration from the source's own namespace.
   * @throws FetchRefused
   */
  secretsOf: (namespace: string, integration: Integration) => Promise<RequestSecrets>;
  /** Limits that override those in `FEED_LIMITS`. */
  limits?: Partial<FeedLimits>;
  times?: Partial<RequestTimes>;
};

type Ask = (cursor: string | null, etag?: string | null) => Promise<PageAnswer>;
type Beginning = { state: FeedState; answer: PageAnswer; isKept: boolean };

/**
 * Creates the fetcher for feeds (docs/integrations.md). A sync continues at the cursor of the last sync. It starts from
 * the beginning if there is no cursor, or if the feed responds to the cursor with status 410. If the feed cannot be
 * read completely, the sync fails, and everything that is already indexed stays.
 */
export function createIntegrationFetcher(deps: IntegrationFetcherDeps): Fetcher {
  const limits = { ...FEED_LIMITS, ...deps.limits };
  const times = { ...REQUEST_TIMES, ...deps.times };
  return async function* fetchFeed(asked) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tookTooLong(times.feedMs)), times.feedMs);
    const input = { ...asked, signal: AbortSignal.any([asked.signal, late.signal]) };
    try {
      return yield* readFeed(input);
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  };

  async function* readFeed(input: FetchInput): AsyncGenerator<Fetched, FetchEnd, void> {
    const { url } = integrationOf(input);
    const ask = askerOf({ ...deps, limits, times }, input);
    const extract = deps.extractFor(input.source.namespace);
    const reading = { limits, extract, signal: input.signal };
    const { state, answer, isKept } = await begin(ask, input.cursor, url);
    if (answer.kind === 'unchanged') return { unseen: 'keep', cursor: input.cursor };
    if (answer.kind === 'text') {
      if (isKept) throw otherFormat('plain text', 'JSON with a cursor');
      return yield* tellText(reading, answer, state);
    }
    if (answer.kind === 'gone') throw new FetchRefused('NotFound', GONE);
    const unseen = isKept ? 'keep' : 'remove';
    const { cursor, etag, hasFailed } = yield* tellPages(reading, ask, answer, state);
    // After a failed document, the next sync begins at the same cursor, so that the feed sends that document again.
    const next = hasFailed ? { cursor: state.cursor, etag: null } : { cursor, etag };
    return { unseen, cursor: writeState({ ...state, format: 'json', ...next }) };
  }
}

const GONE = 'the feed responded with status 410, so it no longer exists: check `integration.url`';

function integrationOf({ source }: FetchInput): Integration {
  const { integration } = source.spec;
  if (integration) return integration;
  throw new FetchRefused('InvalidUrl', 'the source has no `integration`');
}

function askerOf(deps: RequestDeps & IntegrationFetcherDeps, input: FetchInput): Ask {
  const { source, signal } = input;
  const integration = integrationOf(input);
  return (cursor, etag = null) =>
    requestPage(deps, {
      url: withCursor(integration.url, cursor),
      sourceId: fromUuid('ks', source.id),
      headers: integration.headers ?? {},
      etag,
      secrets: () => deps.secretsOf(source.namespace, integration),
      signal,
    });
}

/**
 * Appends the cursor to the URL as text, without parsing the URL, so that the rest of the URL stays exactly as
 * declared.
 */
function withCursor(url: string, cursor: string | null): string {
  if (cursor === null) return url;
  return `${url}${url.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
}

/**
 * Requests the first page. `isKept` in the result is true if the feed accepted the saved cursor. Such a feed reports
 * only changes since that cursor.
 */
async function begin(ask: Ask, kept: string | null, url: string): Promise<Beginning> {
  const known = readState(kept, url);
  const anew: FeedState = { url, format: known?.format ?? 'json', cursor: null, etag: null };
  const state = known ?? anew;
  const answer = await ask(state.cursor, state.etag);
  if (known) requireFormat(known, answer);
  const isKept = state.cursor !== null;
  if (answer.kind !== 'gone' || !isKept) return { state, answer, isKept };
  return { state: anew, answer: await ask(null), isKept: false };
}

/**
 * Rejects a feed that has changed between JSON and plain text since the last sync. Without this check, a maintenance
 * page with status 200 would replace all documents.
 */
function requireFormat({ format }: FeedState, { kind }: PageAnswer): void {
  if (kind === 'text' && format === 'json') throw otherFormat('plain text', 'JSON');
  if (kind === 'page' && format === 'text') throw otherFormat('JSON', 'plain text');
}

function otherFormat(now: string, before: string): FetchRefused {
  const instead =
    'if the change of format is intended, change `integration.url`, for example by adding ?v=2';
  return invalidFeed(`returned ${now}, but ${before} in the previous sync: ${instead}`);
}

async function* tellText(
  reading: ReadingDeps,
  { text, etag }: Extract<PageAnswer, { kind: 'text' }>,
  state: FeedState,
): AsyncGenerator<Fetched, FetchEnd, void> {
  const name = decodeName(new URL(state.url).pathname);
  const told = await readDocument(reading, { id: name, markdown: text }, 0);
  // The text is the whole feed, so the sync fails if the text cannot be indexed. This includes an empty text, which is
  // more likely a mistake than intended.
  if (told.kind !== 'document') {
    const why = 'reason' in told ? told.reason : told.kind;
    throw invalidFeed(`returned a text that cannot be indexed: ${why}`);
  }
  yield { kind: 'found', count: 1 };
  yield told;
  return {
    unseen: 'remove',
    cursor: writeState({ ...state, format: 'text', cursor: null, etag }),
  };
}

/** Returns the last segment of a path: `/docs/faq.md` → `faq.md`. */
function decodeName(pathname: string): string {
  const last = pathname.split('/').findLast((part) => part !== '') ?? 'feed';
  return last.slice(0, 255);
}

type PagesEnd = { cursor: string | null; etag: string | null; hasFailed: boolean };

async function* tellPages(
  reading: ReadingDeps,
  ask: Ask,
  first: Extract<PageAnswer, { kind: 'page' }>,
  { cursor: begun }: FeedState,
): AsyncGenerator<Fetched, PagesEnd, void> {
  const { limits } = reading;
  const told = new Set<string>();
  const asked = new Set([begun]);
  let hasFailed = false;
  let { page } = first;
  for (let pages = 1; ; pages += 1) {
    if (told.size + page.documents.length > limits.documents) throw tooManyDocuments(limits);
    yield { kind: 'found', count: told.size + page.documents.length };
    for (const [at, value] of page.documents.entries()) {
      reading.signal.throwIfAborted();
      const document = await readDocument(reading, value, at);
      if (told.has(document.path)) throw toldTwice(document.path);
      told.add(document.path);
      if (document.kind === 'failed') hasFailed = true;
      yield document;
    }
    const { nextCursor, hasMore } = page;
    if (!hasMore) {
      // An ETag belongs to one URL, so it is stored only if the next sync will begin with the same URL.
      const etag = nextCursor === begun ? first.etag : null;
      return { cursor: nextCursor, etag, hasFailed };
    }
    if (asked.has(nextCursor))
      throw invalidFeed('returned the same `next_cursor` twice in one sync');
    if (pages === limits.pages) throw tooLarge(`has more than ${limits.pages} pages`);
    asked.add(nextCursor);
    page = await nextPage(ask, nextCursor);
  }
}

async function nextPage(ask: Ask, cursor: string | null) {
  const answer = await ask(cursor);
  if (answer.kind === 'page') return answer.page;
  const what = {
    text: 'returned plain text for a request with a cursor',
    unchanged: 'responded with status 304 to a request without `If-None-Match`',
    gone: 'responded with status 410 to a cursor that it has just returned',
  }[answer.kind];
  throw invalidFeed(what);
}

function toldTwice(id: string): FetchRefused {
  const shown = id.length > 80 ? `${id.slice(0, 80).toWellFormed()}…` : id;
  return invalidFeed(
    `returned the document ${shown} twice in one sync; each \`id\` must be unique`,
  );
}

/**
 * State of a feed between two syncs. It is valid only for this `url`. `format` is the format of the last response. The
 * next sync requests the page at `cursor` with the ETag `etag`; if both are `null`, it begins with the first page.
 */
type FeedState = {
  url: string;
  format: 'json' | 'text';
  cursor: string | null;
  etag: string | null;
};

function writeState({ url, format, cursor, etag }: FeedState): string {
  return JSON.stringify({ url, format, cursor, etag });
}

/** Returns the saved state, or `undefined` if it belongs to another URL. */
function readState(kept: string | null, url: string): FeedState | undefined {
  if (kept === null) return undefined;
  // The text is not validated, because only `writeState` writes it.
  const state = JSON.parse(kept) as FeedState;
  return state.url === url ? state : undefined;
}
