import { validateHeaderName, validateHeaderValue } from 'node:http';
import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import type { AddressGuard } from './address-guard.ts';
import { createConnector } from './connector.ts';
import { Exchange, type ResponseHeaders, type BodySink } from './exchange.ts';
import { connectFailure, EgressFailure, isOutOfSockets, type FailureClass } from './failure.ts';
import { createOriginPools, type Dispatched, type OriginPools } from './origin-pools.ts';
import { createResolver } from './resolver.ts';
import type { Lookup } from './name-lookup.ts';

/**
 * `error_class` of a delivery attempt (contract/deliveries.md#reading). The client returns only the classes in
 * `FailureClass`. The caller derives `redirect` and `http_status` from a response.
 */
export type ErrorClass = 'redirect' | 'http_status' | FailureClass;

export type EgressRequest = {
  /** An http or https URL. url-rules.ts has the rules for URLs that tenants choose. */
  url: string;
  method: string;
  /**
   * Headers of the request. `host` and headers that control framing or the connection are rejected, because the client
   * sets them.
   */
  headers: Record<string, string>;
  body?: Buffer | string;
  /**
   * Maximum time in ms from the call until the response headers are complete. It includes queueing, DNS, connecting,
   * TLS and waiting for the response.
   */
  timeoutMs: number;
  maxResponseBytes: number;
  /**
   * If true, sends the request at most once, on a new connection. If false, the client repeats the request when a
   * reused connection closes before any byte of a response arrives. The receiver may then get the request twice.
   */
  once?: boolean;
  /**
   * The caller's abort signal. If it aborts before the response headers arrive, the request fails. If it aborts later,
   * the body is cut off.
   */
  signal?: AbortSignal;
};

export type EgressOutcome =
  | {
      kind: 'response';
      statusCode: number;
      headers: ResponseHeaders;
      /** Time from the call to the response headers, in whole milliseconds. */
      durationMs: number;
      /**
       * Response body, at most `maxResponseBytes`. Resolves when the body has ended, was interrupted, or was cut off at
       * the size limit or `bodyGraceMs` after the headers. Never rejects. Cutting off the body destroys the socket.
       */
      body: Promise<Buffer>;
      /** True if the body is complete, and false if it was interrupted or cut off. Settles together with `body`. */
      isWhole: Promise<boolean>;
    }
  | {
      kind: 'error';
      errorClass: ErrorClass;
      /** A sentence that is safe to show to tenants: it never contains a resolved address. */
      message: string;
      durationMs: number;
    };

/**
 * Client for every request to an address that a tenant or a third party has chosen. It never follows redirects or
 * decompresses responses, ignores the environment variables for proxies, and speaks only HTTP/1.1. `EgressFetch`
 * (fetch.ts) follows the same rules.
 */
export type EgressClient = {
  /** Sends a request. Never rejects. */
  send: (request: EgressRequest) => Promise<EgressOutcome>;
  /** Rejects new requests, waits for those in flight (each has a deadline), and then closes all connections. */
  stop: () => Promise<void>;
};

export type EgressClientOptions = {
  guard: AddressGuard;
  /** Resolves host names. The default is `createNameLookup` (name-lookup.ts). */
  lookup?: Lookup;
  /**
   * Maximum number of connections per origin, 32 by default. Further requests are queued, and their deadlines keep
   * running.
   */
  connectionsPerOrigin?: number;
  /** Maximum number of origins whose idle connections are kept, 512 by default. */
  maxOrigins?: number;
  /** Maximum time in ms for the body to arrive after the headers, 250 by default. */
  bodyGraceMs?: number;
  /** Monotonic clock. */
  nowMs?: () => number;
  /** PEM certificate to trust in addition to the system's certificates, for tests. */
  tlsCa?: string;
};

/**
 * Headers that the client sets itself, or with which a caller could smuggle a second request (as in GitLab's
 * CVE-2025-6454).
 */
const REFUSED_HEADERS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/**
 * Delay in ms before a request is retried because this machine had no free socket. Such attempts never reach the
 * network. Even if a request is waiting for every connection slot, the delay limits them to about a thousand per
 * second.
 */
export const OUT_OF_SOCKETS_PAUSE_MS = 250;

export function createEgressClient(options: EgressClientOptions): EgressClient {
  const { guard, bodyGraceMs = 250, nowMs = monotonicMs } = options;
  const resolve = createResolver({ guard, lookup: options.lookup });
  const pools = createOriginPools({
    connect: createConnector({ guard, resolve, tlsCa: options.tlsCa }),
    connectionsPerOrigin: options.connectionsPerOrigin ?? 32,
    maxOrigins: options.maxOrigins ?? 512,
  });
  const active = new Set<Promise<unknown>>();
  let isStopped = false;

  const track = (work: Promise<unknown>): void => {
    const tracked = work.finally(() => active.delete(tracked));
    active.add(tracked);
  };

  const send = async (request: EgressRequest): Promise<EgressOutcome> => {
    const startedAt = nowMs();
    const fail = ({ errorClass, message }: EgressFailure): EgressOutcome => ({
      kind: 'error',
      errorClass,
      message,
      durationMs: Math.round(nowMs() - startedAt),
    });
    if (isStopped) return fail(new EgressFailure('connect', 'Parley is stopping.'));
    const url = readRequest(request);
    if (url instanceof EgressFailure) return fail(url);

    pools.acquire(url.origin);
    const settling = exchangeOnce({ pools, bodyGraceMs }, request, url);
    track(settling.then(({ body }) => body).finally(() => pools.release(url.origin)));
    const settled = await settling;
    if (settled.body === undefined) return fail(settled.failure);
    return { kind: 'response', ...settled, durationMs: Math.round(nowMs() - startedAt) };
  };

  return {
    send,
    stop: async () => {
      isStopped = true;
      await Promise.all(active);
      await pools.stop();
    },
  };
}

type Settled =
  | {
      statusCode: number;
      headers: ResponseHeaders;
      body: Promise<Buffer>;
      isWhole: Promise<boolean>;
    }
  | { failure: EgressFailure; body: undefined };

/**
 * Sends the request, and repeats it if that is safe. Resolves when the response headers arrive or the request has
 * failed.
 */
function exchangeOnce(
  deps: { pools: OriginPools; bodyGraceMs: number },
  request: EgressRequest,
  url: URL,
): Promise<Settled> {
  return new Promise((settled) => {
    const limits = { maxResponseBytes: request.maxResponseBytes };
    let exchange: Exchange;
    let waiting: NodeJS.Timeout | undefined;
    const settle = (outcome: Settled): void => {
      clearTimeout(deadline);
      const over = outcome.body ?? Promise.resolve();
      void over.then(() => request.signal?.removeEventListener('abort', onAbort));
      settled(outcome);
    };
    const giveUp = (failure: EgressFailure): void => {
      clearTimeout(waiting);
      settle({ failure, body: undefined });
      exchange.cancel();
    };
    const deadline = setTimeout(
      () => giveUp(deadlineFailure(request.timeoutMs, exchange.wasSent)),
      request.timeoutMs,
    );
    const onAbort = (): void => giveUp(new EgressFailure('timeout', 'The request was canceled.'));
    request.signal?.addEventListener('abort', onAbort, { once: true });

    const start = (fresh: boolean): void => {
      exchange = new Exchange({
        ...limits,
        onResponse: (statusCode, headers, { cut }) => {
          const body = collectBody({ ...limits, bodyGraceMs: deps.bodyGraceMs }, cut);
          settle({ statusCode, headers, body: body.whole, isWhole: body.isWhole });
          return body;
        },
        onFailure: (error) => {
          const mayRepeat = !exchange.isCancelled && exchange.diedUnanswered(error);
          // Repeats the request immediately on a new connection, because other idle connections may be dead too. A new
          // connection has never been idle, so one repeat is enough.
          if (mayRepeat) return start(true);
          // This machine, not the receiver, has run out of sockets. The request is retried later, when other requests
          // may have freed some.
          if (isOutOfSockets(error) && !exchange.isCancelled) {
            waiting = setTimeout(() => start(fresh), OUT_OF_SOCKETS_PAUSE_MS);
            return;
          }
          settle({ failure: connectFailure(error), body: undefined });
        },
      });
      deps.pools.dispatch(dispatched(request, url, fresh), exchange);
    };
    start(request.once ?? false);
    if (request.signal?.aborted) onAbort();
  });
}

/**
 * Validates the request. Returns its URL, or the reason why it is rejected. Must reject everything that undici would
 * reject, because an error thrown inside undici's dispatch would leave the connection marked as busy forever.
 */
export function readRequest(
  request: Pick<EgressRequest, 'url' | 'method' | 'headers'>,
): URL | EgressFailure {
  const { url: raw, method, headers } = request;
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return new EgressFailure('blocked', 'The URL must start with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    return new EgressFailure('blocked', 'The URL contains a user name or password.');
  }
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT') {
    return new EgressFailure('blocked', 'The HTTP method is not allowed.');
  }
  for (const [name, value] of Object.entries(headers)) {
    if (REFUSED_HEADERS.test(name) || !isHeader(name, value)) {
      return new EgressFailure('blocked', `The header ${JSON.stringify(name)} is not allowed.`);
    }
  }
  return url;
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

export function dispatched(
  request: Pick<EgressRequest, 'method' | 'headers' | 'body'>,
  url: URL,
  fresh: boolean,
): Dispatched {
  const { method, headers, body = null } = request;
  return { origin: url.origin, path: url.pathname + url.search, method, headers, body, fresh };
}

function deadlineFailure(timeoutMs: number, wasSent: boolean): EgressFailure {
  const missing = wasSent ? 'The server did not respond' : 'No connection was established';
  return new EgressFailure('timeout', `${missing} within ${timeoutMs} ms.`);
}

/**
 * A body that is being collected. Neither promise ever rejects. `isWhole` resolves to true if the complete body
 * arrived.
 */
type CollectedBody = BodySink & { whole: Promise<Buffer>; isWhole: Promise<boolean> };

/** Collects a body. At a time limit or a size limit, cuts it off by destroying the socket. */
function collectBody(
  limits: { maxResponseBytes: number; bodyGraceMs: number },
  cut: () => void,
): CollectedBody {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const { promise: whole, resolve } = Promise.withResolvers<Buffer>();
  const { promise: isWhole, resolve: tellWhole } = Promise.withResolvers<boolean>();
  const finish = (isAll: boolean): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(grace);
    tellWhole(isAll);
    resolve(Buffer.concat(chunks).subarray(0, limits.maxResponseBytes));
    chunks.length = 0; // Frees the collected chunks, because the connection keeps a reference to its last exchange.
  };
  const endAndCut = (): void => {
    finish(false);
    cut();
  };
  const grace = setTimeout(endAndCut, limits.bodyGraceMs);
  const push = (chunk: Buffer): void => {
    if (isOver) return;
    chunks.push(chunk);
    bytes += chunk.length;
    // Deferred, because the parser does not expect its socket to be destroyed inside a callback.
    if (bytes > limits.maxResponseBytes) queueMicrotask(endAndCut);
  };
  return { whole, isWhole, push, end: (error) => finish(error === undefined) };
}
