import { clearTimeout, setTimeout } from '../../clock.ts';
import type { AddressGuard } from './address-guard.ts';
import { dispatched, OUT_OF_SOCKETS_PAUSE_MS, readRequest } from './client.ts';
import { createConnector } from './connector.ts';
import { Exchange, type Flow, type ResponseHeaders } from './exchange.ts';
import { connectFailure, EgressFailure, isOutOfSockets } from './failure.ts';
import type { Lookup } from './name-lookup.ts';
import { createOriginPools, type OriginPools } from './origin-pools.ts';
import { createResolver } from './resolver.ts';
import { streamBody, type StreamedBody } from './streamed-body.ts';

/**
 * `fetch` for packages that need one. It streams the body and applies the same address rules as every outgoing request.
 * As in client.ts, redirects are returned instead of followed, and nothing is decompressed (the request asks for
 * `identity`). The environment variables for proxies are ignored, and only HTTP/1.1 is used. There is no timeout except
 * the caller's signal, which ends the request immediately in any state. Rejects with an `EgressFailure`, or with the
 * signal's reason.
 */
export type EgressFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export type FetchClient = {
  fetch: EgressFetch;
  /** Rejects new requests, aborts running ones, and closes all connections. */
  stop: () => Promise<void>;
};

export type FetchClientOptions = {
  guard: AddressGuard;
  /** Resolves host names. The default is `createNameLookup` (name-lookup.ts). */
  lookup?: Lookup;
  /**
   * Maximum number of connections to one origin; further requests are queued. The default is 2048, because all agents
   * of an installation may use the same API, and each conversation that is waiting for a response occupies one
   * connection.
   */
  connectionsPerOrigin?: number;
  /**
   * Maximum size of a response body in bytes. The default is 16 MiB, which is enough for 65,000 streamed tokens with
   * the JSON around each token.
   */
  maxResponseBytes?: number;
  /** PEM certificate to trust in addition to the system's certificates, for tests. */
  tlsCa?: string;
};

const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/**
 * Maximum size of an error response in bytes. A longer response is truncated, because callers use only the reason in
 * it.
 */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ORIGINS = 512;

type Sent = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer;
};
type Deps = { pools: OriginPools; maxResponseBytes: number };

export function createEgressFetch(options: FetchClientOptions): FetchClient {
  const { guard, maxResponseBytes = MAX_RESPONSE_BYTES } = options;
  const resolve = createResolver({ guard, lookup: options.lookup });
  const pools = createOriginPools({
    connect: createConnector({ guard, resolve, tlsCa: options.tlsCa }),
    connectionsPerOrigin: options.connectionsPerOrigin ?? 2048,
    maxOrigins: MAX_ORIGINS,
  });
  const underWay = new Set<(reason: unknown) => void>();
  let isStopped = false;

  return {
    fetch: async (input, init = {}) => {
      const signal = init.signal ?? undefined;
      signal?.throwIfAborted();
      if (isStopped) throw stopping();
      const request = readInit(input, init);
      const url = readRequest(request);
      if (url instanceof EgressFailure) throw url;
      return await new Promise<Response>((settle, reject) => {
        const started = start({ pools, maxResponseBytes }, request, url, {
          settle,
          reject,
          over: () => {
            signal?.removeEventListener('abort', abort);
            underWay.delete(started.giveUp);
          },
        });
        const abort = (): void => started.giveUp(signal?.reason);
        underWay.add(started.giveUp);
        signal?.addEventListener('abort', abort, { once: true });
        started.send();
      });
    },
    stop: async () => {
      isStopped = true;
      for (const giveUp of underWay) giveUp(stopping());
      await pools.stop();
    },
  };
}

function stopping(): EgressFailure {
  return new EgressFailure('connect', 'Parley is stopping.');
}

function readInit(input: string | URL | Request, init: RequestInit): Sent {
  const { method = 'GET', body = null } = init;
  const sent = body instanceof Uint8Array ? viewOf(body) : body;
  if (
    input instanceof Request ||
    !(sent === null || typeof sent === 'string' || Buffer.isBuffer(sent))
  ) {
    throw new TypeError('Pass the request as a URL, and its body as a string or bytes.');
  }
  return {
    url: String(input),
    method,
    headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
    ...(sent === null ? {} : { body: sent }),
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

type Ends = {
  settle: (response: Response) => void;
  reject: (reason: unknown) => void;
  /** Called once, when the request has ended and released its resources. */
  over: () => void;
};

/**
 * Runs one request until its body has ended. `giveUp` rejects the request or interrupts the body, and destroys the
 * socket.
 */
function start(
  { pools, maxResponseBytes }: Deps,
  request: Sent,
  url: URL,
  ends: Ends,
): { send: () => void; giveUp: (reason: unknown) => void } {
  let exchange: Exchange | undefined;
  let body: StreamedBody | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let isOver = false;

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(waiting);
    pools.release(url.origin);
    ends.over();
  };
  const fail = (reason: unknown): void => {
    ends.reject(reason);
    over();
  };
  const answered = (status: number, headers: ResponseHeaders, flow: Flow): StreamedBody => {
    const isSuccess = status < 300;
    body = streamBody(flow, {
      maxBytes: isSuccess ? maxResponseBytes : Math.min(MAX_ERROR_BYTES, maxResponseBytes),
      isCutQuietly: !isSuccess,
      over,
    });
    try {
      ends.settle(responseOf(status, headers, body));
    } catch {
      body.fail(undefined);
      ends.reject(
        new EgressFailure('connect', "The server's response has an invalid status code."),
      );
    }
    return body;
  };
  const send = (fresh: boolean): void => {
    const current = new Exchange({
      maxResponseBytes,
      onResponse: answered,
      onFailure: (error) => {
        if (isOver) return;
        // As in client.ts, the request is repeated once if its idle connection turns out to be dead. The caller does
        // not notice this.
        if (current.diedUnanswered(error)) return send(true);
        if (!isOutOfSockets(error)) return fail(connectFailure(error));
        waiting = setTimeout(() => send(false), OUT_OF_SOCKETS_PAUSE_MS);
      },
    });
    exchange = current;
    pools.dispatch(dispatched(request, url, fresh), current);
  };

  return {
    send: () => {
      pools.acquire(url.origin);
      send(false);
    },
    giveUp: (reason) => {
      if (isOver) return;
      if (body !== undefined) return body.fail(reason);
      fail(reason);
      exchange?.cancel();
    },
  };
}

/** Statuses that never have a body. The constructor of `Response` rejects a body for them. */
const WITHOUT_BODY = [204, 205, 304];

function responseOf(status: number, given: ResponseHeaders, body: StreamedBody): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given)) {
    for (const value of [values].flat()) appendReadable(headers, name, value);
  }
  return new Response(WITHOUT_BODY.includes(status) ? null : body.stream, { status, headers });
}

/** Appends a header unless `Headers` rejects its value. No caller needs such a header. */
function appendReadable(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // The value is invalid, so the header is dropped.
  }
}
