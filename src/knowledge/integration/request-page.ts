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
  /** The wall clock, for the signed timestamp. */
  nowMs: () => number;
};

export type RequestTimes = {
  /** Until the headers of the answer. */
  headersMs: number;
  /** Until the end of its body. */
  pageMs: number;
  /** Until the end of the last page, with all tries and pauses. */
  feedMs: number;
  /** Before the second try; four times as long before each further one. */
  retryMs: number;
  /** No longer, whatever Retry-After says. */
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
  /** With the cursor. */
  url: string;
  sourceId: string;
  headers: Readonly<Record<string, string>>;
  /** Of what is known already. */
  etag: string | null;
  /** Asked before each try: a Secret that changes is used by the next one. @throws FetchRefused */
  secrets: () => Promise<RequestSecrets>;
  signal: AbortSignal;
};

/**
 * One page of a feed. A 429, a 5xx and a network that fails are tried four times in all.
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

/** Declared headers come first, so that they never replace ours. */
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
  const message = `the feed did not answer a page within ${ms / 1_000} s`;
  return new TryAgain(new FetchRefused('NotAnswering', message));
}

/** The address is refused, its certificate is wrong: no repeat cures that. */
function failed({ errorClass, message }: EgressFailure): Error {
  const said = `the feed cannot be read: ${message.replace(/\.$/, '')}`;
  if (errorClass === 'blocked') return new FetchRefused('InvalidUrl', said);
  if (errorClass === 'tls') return new FetchRefused('TlsFailed', said);
  return new TryAgain(new FetchRefused('NotAnswering', said));
}

/**
 * Signs a request with both signatures of events and tools (contract/knowledge.md#feeds). A GET has no body, so the request target is
 * signed instead, path and query as they stand in the request line. The signature is valid for this page alone, and a
 * changed cursor breaks it.
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
