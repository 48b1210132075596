import { clearTimeout, delay, setTimeout } from '../../clock.ts';
import type { RequestSecrets } from '../../agents/tools/request-secrets.ts';
import { newId } from '../../ids.ts';
import type { EgressFetch } from '../../platform/egress/fetch.ts';
import { EgressFailure } from '../../platform/egress/failure.ts';
import { FetchRefused } from '../sources/fetching.ts';
import type { FeedLimits } from './feed-limits.ts';
import { TryAgain } from './feed-refused.ts';
import { readAnswer, type PageAnswer } from './read-answer.ts';
import { signBody, signStandard } from '../../platform/egress/signature.ts';

export type RequestDeps = {
  send: EgressFetch;
  userAgent: string;
  limits: FeedLimits;
  times: RequestTimes;
  /** Wall clock for the signed timestamp. */
  nowMs: () => number;
};

export type RequestTimes = {
  /** Time limit in ms until the headers of the response arrive. */
  headersMs: number;
  /** Time limit in ms until the body of the response is complete. */
  pageMs: number;
  /** Time limit in ms for the whole feed, including all attempts and pauses. */
  feedMs: number;
  /** Pause in ms before the second attempt. Each further pause is four times as long. */
  retryMs: number;
  /** Maximum pause in ms, even if `Retry-After` requests a longer one. */
  retryMaxMs: number;
};

export const REQUEST_TIMES: RequestTimes = {
  headersMs: 30_000,
  pageMs: 120_000,
  feedMs: 6 * 3_600_000,
  retryMs: 1_000,
  retryMaxMs: 60_000,
};

const TRIES_MAX = 4;

export type PageRequest = {
  /** URL including the cursor. */
  url: string;
  sourceId: string;
  headers: Readonly<Record<string, string>>;
  /** ETag of the page from the last sync, or `null` for an unconditional request. */
  etag: string | null;
  /**
   * Reads the Secrets. Called before each attempt, so that a changed Secret takes effect.
   * @throws FetchRefused
   */
  secrets: () => Promise<RequestSecrets>;
  signal: AbortSignal;
};

/**
 * Requests one page of a feed. Makes up to four attempts after a 429, a 5xx or a network error.
 * @throws FetchRefused; the signal's reason
 */
export async function requestPage(deps: RequestDeps, request: PageRequest): Promise<PageAnswer> {
  const { retryMs, retryMaxMs } = deps.times;
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryPage(deps, request);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!(error instanceof TryAgain)) throw error;
      if (tries === TRIES_MAX) throw error.refusal;
      const usualMs = retryMs * 4 ** (tries - 1) * (0.75 + Math.random() / 2);
      const pauseMs = Math.min(retryMaxMs, Math.max(usualMs, error.afterMs ?? 0));
      await delay(pauseMs, { signal: request.signal });
    }
  }
}

async function tryPage(deps: RequestDeps, request: PageRequest): Promise<PageAnswer> {
  const { headersMs, pageMs } = deps.times;
  const headers = await headersOf(deps, request);
  const late = new AbortController();
  const timers = [headersMs, pageMs].map((ms) => setTimeout(() => late.abort(tooSlow(ms)), ms));
  try {
    const signal = AbortSignal.any([request.signal, late.signal]);
    const response = await deps.send(request.url, { headers, signal });
    clearTimeout(timers[0]);
    return await readAnswer(response, deps.limits);
  } catch (error) {
    throw error instanceof EgressFailure ? failed(error) : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** Returns the request headers. Declared headers are added first, so that they never override Parley's own. */
async function headersOf(
  { userAgent, nowMs }: RequestDeps,
  { url, sourceId, headers, etag, secrets }: PageRequest,
): Promise<Record<string, string>> {
  const { bearer, signing } = await secrets();
  const declared = Object.entries(headers);
  return {
    accept: 'application/json, text/markdown',
    ...Object.fromEntries(declared.map(([name, value]) => [name.toLowerCase(), value])),
    'user-agent': userAgent,
    'parley-source-id': sourceId,
    ...(etag !== null && { 'if-none-match': etag }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(signing !== undefined && signRequest(signing, { url, id: newId('req'), nowMs: nowMs() })),
  };
}

function tooSlow(ms: number): TryAgain {
  const message = `the feed did not send a page within ${ms / 1_000} s`;
  return new TryAgain(new FetchRefused('NotAnswering', message));
}

/**
 * Converts a network failure into an error. A blocked address or an invalid certificate is permanent, so the request is
 * not retried.
 */
function failed({ errorClass, message }: EgressFailure): Error {
  const said = `the request to the feed failed: ${message.replace(/\.$/, '')}`;
  if (errorClass === 'blocked') return new FetchRefused('InvalidUrl', said);
  if (errorClass === 'tls') return new FetchRefused('TlsFailed', said);
  return new TryAgain(new FetchRefused('NotAnswering', said));
}

/**
 * Signs a request with the two signatures that events and tool calls also carry (contract/knowledge.md#feeds). A GET
 * has no body, so the request target is signed instead: path and query exactly as in the request line. A signature is
 * therefore valid for this page only, and invalid if the cursor is changed.
 */
function signRequest(
  secret: string,
  { url, id, nowMs }: { url: string; id: string; nowMs: number },
): Record<string, string> {
  const { pathname, search } = new URL(url);
  const body = Buffer.from(pathname + search);
  const timestampSec = Math.floor(nowMs / 1_000);
  return {
    'parley-signature': signBody(secret, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSec),
    'webhook-signature': signStandard(secret, { id, timestampSec, body }),
  };
}
