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
 * `error_class` of an attempt (contract/deliveries.md#reading). The caller derives `redirect` and `http_status` from a
 * response; the client itself returns only the others.
 */
export type ErrorClass = 'redirect' | 'http_status' | FailureClass;

export type EgressRequest = {
  /** http or https URL. The rules for URLs of tenants are in url-rules.ts. */
  url: string;
  method: string;
  /** Framing and connection headers and `host` are refused, because the client sets them. */
  headers: Record<string, string>;
  body?: Buffer | string;
  /** Time from the call to complete response headers: queueing, DNS, connecting, TLS, waiting. */
  timeoutMs: number;
  maxResponseBytes: number;
  /**
   * Sends the request once at most, on a new connection: a kept one may be dead, and then it is unknown whether the
   * request arrived. Otherwise the request is repeated if no byte of an answer came.
   */
  once?: boolean;
  /** Abort signal of the caller. Before the headers it makes the request fail; afterwards it cuts the body. */
  signal?: AbortSignal;
};

export type EgressOutcome =
  | {
      kind: 'response';
      statusCode: number;
      headers: ResponseHeaders;
      /** Time from the call to the headers, in whole milliseconds. */
      durationMs: number;
      /**
       * The body, at most `maxResponseBytes`. Resolves, and never rejects, when the body ended, broke off, or was cut
       * at the size limit or at `bodyGraceMs` after the headers. A cut destroys the socket.
       */
      body: Promise<Buffer>;
      /** Whether the body is complete: false if it broke off or was cut. Settles with `body`. */
      isWhole: Promise<boolean>;
    }
  | {
      kind: 'error';
      errorClass: ErrorClass;
      /** One sentence that is safe to show: it never contains a resolved address. */
      message: string;
      durationMs: number;
    };

/**
 * The only way out: every request to an address chosen by somebody else goes through `send`. It never follows
 * redirects, never decompresses, reads no proxy variables, and speaks HTTP/1.1 only.
 */
export type EgressClient = {
  /** Never rejects. */
  send: (request: EgressRequest) => Promise<EgressOutcome>;
  /** Refuses new requests, waits for those in flight (their deadlines bound it), and closes all connections. */
  stop: () => Promise<void>;
};

export type EgressClientOptions = {
  guard: AddressGuard;
  /** Default: the system's resolver. */
  lookup?: Lookup;
  /** Further requests wait in line while their deadline runs. Default 32. */
  connectionsPerOrigin?: number;
  /** Number of origins whose idle connections are kept. Default 512. */
  maxOrigins?: number;
  /** Time that a body may take after the headers. Default 250. */
  bodyGraceMs?: number;
  /** Monotonic clock. */
  nowMs?: () => number;
  /** PEM certificate trusted besides the system's, for tests. */
  tlsCa?: string;
};

/** Headers that the client sets itself, or that could smuggle a second request (GitLab's CVE-2025-6454). */
const REFUSED_HEADERS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/** While all slots wait, this gives about a thousand attempts per second, which never reach the network. */
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

/** Settles once, with the response's headers or with the reason for the failure. */
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
    const onAbort = (): void => giveUp(new EgressFailure('timeout', 'The request was given up.'));
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
          // Repeats immediately and on a new connection, because other idle connections may be dead as well. Repeats
          // once, because the new connection has no earlier use.
          if (mayRepeat) return start(true);
          // The shortage is on our side, not the receiver's, so wait until another of our requests ends.
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
 * Refuses everything that undici would refuse: an error thrown inside its dispatch leaves the connection marked as busy
 * forever.
 */
export function readRequest(
  request: Pick<EgressRequest, 'url' | 'method' | 'headers'>,
): URL | EgressFailure {
  const { url: raw, method, headers } = request;
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return new EgressFailure('blocked', 'The URL is not an http or https one.');
  }
  if (url.username !== '' || url.password !== '') {
    return new EgressFailure('blocked', 'The URL carries a user name or password.');
  }
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT') {
    return new EgressFailure('blocked', 'The HTTP method may not be sent.');
  }
  for (const [name, value] of Object.entries(headers)) {
    if (REFUSED_HEADERS.test(name) || !isHeader(name, value)) {
      return new EgressFailure('blocked', `The header ${JSON.stringify(name)} may not be sent.`);
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
  const missing = wasSent ? 'The receiver did not answer' : 'No connection could be made';
  return new EgressFailure('timeout', `${missing} within ${timeoutMs} ms.`);
}

/** Neither promise rejects. `isWhole` is true if the body arrived to its end. */
type CollectedBody = BodySink & { whole: Promise<Buffer>; isWhole: Promise<boolean> };

/** Reads a body for a short while and up to a size, then cuts it together with the socket. */
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
    chunks.length = 0; // Frees the memory, because the connection keeps its last exchange.
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
    // Runs after the parser's turn, which does not expect its socket to vanish inside a callback.
    if (bytes > limits.maxResponseBytes) queueMicrotask(endAndCut);
  };
  return { whole, isWhole, push, end: (error) => finish(error === undefined) };
}
