import type { Validators } from './site-event.ts';
import { inflate, inflateStart, largerThan } from './inflate.ts';

export type Answer =
  /** Body of a page. `isCut` means that `bytes` has only the beginning of the body. */
  | { kind: 'body'; bytes: Buffer; headers: Headers; validators: Validators; isCut?: boolean }
  /** Response with status 304. */
  | { kind: 'unchanged' }
  /** Redirect. `isLasting` means that it is permanent: status 301 or 308. */
  | { kind: 'redirect'; to: string; isLasting?: boolean }
  /** Response with status 404 or 410. */
  | { kind: 'gone'; status: number }
  /** Response with a media type that the caller does not want. Its body was discarded. */
  | { kind: 'other'; mediaType: string }
  /**
   * Failed request. `isSite`: the problem may affect the whole site, not only this page. `isTls`: the certificate is
   * not trusted, or TLS failed. `retryAfterMs`: the pause that the server requests before a retry.
   */
  | {
      kind: 'failed';
      reason: string;
      status: number | null;
      isSite: boolean;
      isTls?: boolean;
      retryAfterMs?: number;
    };

export type Ask = {
  url: URL;
  validators?: Validators | undefined;
  accept: string;
  /** Returns true if a body with this media type must be read. If `wants` is absent, all bodies are read. */
  wants?: (mediaType: string) => boolean;
  maxBytes: number;
  /** Whether the first `maxBytes` of a longer body are enough. Otherwise a longer body counts as a failure. */
  isStartEnough?: boolean;
  signal: AbortSignal;
};
export type Request = (ask: Ask) => Promise<Answer>;

/** Sends one request without following redirects. The returned promise, `body` and `isWhole` never reject. */
export type Send = (request: {
  url: string;
  method: 'GET';
  headers: Record<string, string>;
  /** Time limit in ms from the call until the response headers are complete. */
  timeoutMs: number;
  /** Maximum size of the body in bytes. A longer body is truncated. */
  maxResponseBytes: number;
  /** Abort signal. An abort before the headers arrive results in an error; a later abort truncates the body. */
  signal: AbortSignal;
}) => Promise<Sent>;

export type Sent =
  | {
      kind: 'response';
      statusCode: number;
      headers: Record<string, string | string[]>;
      /** Bytes as they were received, possibly compressed. */
      body: Promise<Buffer>;
      /** Whether `body` is complete. Resolves when `body` resolves. */
      isWhole: Promise<boolean>;
      /** Pause in ms that the header `Retry-After` requests. */
      retryAfterMs?: number | undefined;
    }
  /**
   * Failed request. `message` is one sentence without its full stop. `isTls`: the certificate is not trusted, or TLS
   * failed.
   */
  | { kind: 'error'; message: string; isTls?: boolean };

/** Timer functions, which the caller passes so that tests can control time. */
export type Timers<Timer = unknown> = {
  setTimeout: (fire: () => void, ms: number) => Timer;
  clearTimeout: (timer: Timer) => void;
};

const REST_BYTES = 64 * 1024;
/** Time limit in ms from the start of a request to the end of the response body. */
export const PAGE_TIMEOUT_MS = 20_000;

/**
 * Creates a function that makes one GET request and never rejects. The caller handles redirects, pacing and retries.
 */
export function createRequest<Timer>(deps: {
  send: Send;
  /** Returns a sentence that says why an address must not be requested, or `undefined` if it may be. */
  refusalOf: (url: URL) => string | undefined;
  userAgent: string;
  timeoutMs: number;
  clock: Timers<Timer>;
}): Request {
  return async (ask) => {
    const refusal = deps.refusalOf(ask.url);
    if (refusal !== undefined) return failed(refusal.replace(/\.$/, ''), { isSite: false });
    const late = new AbortController();
    const timer = deps.clock.setTimeout(() => late.abort(), deps.timeoutMs);
    const signal = AbortSignal.any([ask.signal, late.signal]);
    try {
      const outcome = await deps.send({
        url: ask.url.href,
        method: 'GET',
        headers: headersOf(ask, deps.userAgent),
        timeoutMs: deps.timeoutMs,
        maxResponseBytes: ask.maxBytes,
        signal,
      });
      if (late.signal.aborted) return failed(notWithin(deps.timeoutMs), { isSite: true });
      if (outcome.kind === 'error') {
        const { message, isTls = false } = outcome;
        return failed(message, { isSite: true, ...(isTls && { isTls }) });
      }
      return await readAnswer(outcome, {
        ...ask,
        timeoutMs: deps.timeoutMs,
        isLate: () => late.signal.aborted,
        cut: () => late.abort(),
      });
    } finally {
      deps.clock.clearTimeout(timer);
    }
  };
}

function headersOf({ accept, validators }: Ask, userAgent: string): Record<string, string> {
  const { etag = null, lastModified = null } = validators ?? {};
  return {
    accept,
    'accept-encoding': 'gzip, br, deflate',
    'user-agent': userAgent,
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  };
}

type Deadline = { timeoutMs: number; isLate: () => boolean; cut: () => void };
type Response = Extract<Sent, { kind: 'response' }>;

async function readAnswer(
  { statusCode, headers: given, body, isWhole, retryAfterMs }: Response,
  ask: Ask & Deadline,
): Promise<Answer> {
  const headers = headersFrom(given);
  const other = judge(statusCode, headers, retryAfterMs);
  const mediaType = mediaTypeOf(headers.get('content-type'));
  const answer =
    other ?? (ask.wants?.(mediaType) === false ? { kind: 'other' as const, mediaType } : undefined);
  if (answer !== undefined) {
    // The body is not needed. A short one is read to its end, so that the connection can be reused. A longer one is
    // aborted.
    if (statusCode !== 304 && !(Number(headers.get('content-length') ?? Infinity) <= REST_BYTES)) {
      ask.cut();
    }
    await body;
    return answer;
  }
  const raw = await body;
  const isFull = raw.length >= ask.maxBytes;
  // A body that is only a few bytes longer than `maxBytes` may arrive in one packet and then count as complete,
  // although it was truncated. So if the start of a body is enough, a body of `maxBytes` is always treated as
  // truncated.
  const isCut = !(await isWhole) || (isFull && ask.isStartEnough === true);
  const isStart = ask.isStartEnough === true && (!isCut || isFull);
  if (isCut && !isStart) return failed(...brokenOff(raw, ask));
  const read = isStart ? inflateStart : inflate;
  const inflated = await read(raw, headers.get('content-encoding'), ask.maxBytes);
  if ('problem' in inflated) return failed(inflated.problem, { isSite: false });
  const validators = {
    etag: validatorOf(headers, 'etag'),
    lastModified: validatorOf(headers, 'last-modified'),
  };
  const isPart = isCut || ('isCut' in inflated && inflated.isCut === true);
  return {
    kind: 'body',
    bytes: inflated.bytes,
    headers,
    validators,
    ...(isPart && { isCut: true }),
  };
}

/**
 * Returns a validator, or `null` if it is missing or too long. Storing kilobytes would cost more than a conditional
 * request saves.
 */
function validatorOf(headers: Headers, name: string): string | null {
  const given = headers.get(name);
  return given !== null && given.length > 0 && given.length <= 500 ? given : null;
}

/** Returns the result that follows from the status code and the headers, or `undefined` if the body must be read. */
function judge(
  status: number,
  headers: Headers,
  retryAfterMs: number = RETRY_AFTER_DEFAULT_MS,
): Answer | undefined {
  if (status === 304) return { kind: 'unchanged' };
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    return { kind: 'redirect', to: location, isLasting: status === 301 || status === 308 };
  }
  if (status === 404 || status === 410) return { kind: 'gone', status };
  if (status >= 200 && status < 300 && status !== 206) return undefined;
  const isBusy = status === 429 || status === 503;
  return {
    kind: 'failed',
    reason: `the server responded with status ${status}`,
    status,
    isSite: status >= 500 || status === 429,
    ...(isBusy && { retryAfterMs }),
  };
}

const RETRY_AFTER_DEFAULT_MS = 5_000;

const BROKEN_OFF = 'the server closed the connection in the middle of its response';

function notWithin(ms: number): string {
  return `the server did not send the whole response within ${ms / 1000} s`;
}

function brokenOff(
  raw: Buffer,
  ask: Ask & Deadline,
): [reason: string, options: { isSite: boolean }] {
  if (raw.length >= ask.maxBytes) return [largerThan(ask.maxBytes), { isSite: false }];
  return [ask.isLate() ? notWithin(ask.timeoutMs) : BROKEN_OFF, { isSite: true }];
}

function failed(reason: string, whose: { isSite: boolean; isTls?: boolean }): Answer {
  return { kind: 'failed', reason, status: null, ...whose };
}

/**
 * Returns the media type of a `Content-Type` header in lower case and without parameters; '' if the header is missing.
 */
export function mediaTypeOf(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function headersFrom(given: Record<string, string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given)) {
    for (const value of [values].flat()) {
      try {
        headers.append(name, value);
      } catch {
        // Skips invalid headers, because no caller needs them.
      }
    }
  }
  return headers;
}
