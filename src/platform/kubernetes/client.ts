import { Agent, type Dispatcher } from 'undici';
import { delay, epochMs, timeoutSignal } from '../../clock.ts';
import { codeOf, reasonOf } from '../../errors.ts';
import { retryAfterMs } from '../egress/retry-after.ts';
import type { KubeCredentials } from './credentials.ts';
import { KubeConnectionError, toKubeError } from './kube-error.ts';

/**
 * HTTP client for one Kubernetes API server. It reuses and shares connections, so a call takes 0.6 ms. With
 * @kubernetes/client-node, which opens a new TLS connection for each call, a call takes 3 ms. Watches have separate
 * connections, so that a burst of calls never waits behind an endless stream.
 */
export type KubeClient = {
  /**
   * Sends a request and returns the parsed body of a 2xx response. If the server is too busy (429, or 503 with
   * `Retry-After`), waits and retries. That is safe, because the server has not processed the request.
   * @throws KubeError if the server rejects the request; KubeConnectionError if there is no response
   */
  request: (request: KubeRequest) => Promise<unknown>;
  /**
   * Opens a stream and yields the value of each JSON line. Both the opening and the reading of the stream throw the
   * same errors as `request`.
   */
  stream: (request: KubeStreamRequest) => Promise<AsyncIterable<unknown>>;
  close: () => Promise<void>;
};

export type KubeRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path, such as `/api/v1/…` or `/apis/GROUP/VERSION/…`. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Media type of the body. For a PATCH it selects the kind of patch. */
  contentType?: string;
  accept?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
};

export type KubeStreamRequest = Pick<KubeRequest, 'path' | 'query' | 'accept'> & {
  signal: AbortSignal;
};

export type KubeClientDeps = {
  credentials: KubeCredentials;
  /**
   * Counts a request in the metric `rest_client_requests_total`. If there was no response, the code is `<error>`, as in
   * client-go.
   */
  countRequest?: (method: string, code: string) => void;
};

export const APPLY_PATCH = 'application/apply-patch+yaml';
export const MERGE_PATCH = 'application/merge-patch+json';

const CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 30_000;
/**
 * Idle time in ms after which we close a connection. It is shorter than the 90 s after which the server closes an idle
 * connection, so that no request uses a connection that is closing.
 */
const KEEP_ALIVE_MS = 60_000;
const BUSY_RETRIES = 5;
const RETRY_AFTER_MAX_MS = 10_000;

export function createKubeClient({ credentials, countRequest }: KubeClientDeps): KubeClient {
  const shared = {
    connect: { ...credentials.tls, timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: CALL_TIMEOUT_MS,
    // With HTTP/2, one slow reader would block all requests on the connection, and a proxy in between might limit the
    // number of streams. A few HTTP/1.1 connections avoid both problems.
    allowH2: false,
  };
  const calls = new Agent({ ...shared, connections: CONNECTIONS });
  const streams = new Agent({ ...shared, bodyTimeout: 0 });

  async function send(
    agent: Agent,
    { method, path, query = {}, body, contentType = 'application/json', accept }: KubeRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const authorization = await credentials.headers();
    try {
      const answering = agent.request({
        origin: credentials.server,
        path,
        query,
        method,
        headers: {
          ...authorization,
          accept: accept ?? 'application/json',
          'user-agent': 'parley',
          ...(body === undefined ? {} : { 'content-type': contentType }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      });
      const answer = await unlessAborted(signal, answering);
      countRequest?.(method, String(answer.statusCode));
      return answer;
    } catch (cause) {
      countRequest?.(method, '<error>');
      throw noAnswer(`${method} ${path}`, cause);
    }
  }

  async function request(call: KubeRequest): Promise<unknown> {
    const what = `${call.method} ${call.path}`;
    const timeout = timeoutSignal(Math.ceil(call.timeoutMs ?? CALL_TIMEOUT_MS));
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    for (let left = BUSY_RETRIES; ; left -= 1) {
      const { statusCode, headers, body } = await send(calls, call, signal);
      const text = await readText(body, what);
      if (statusCode < 300) return parse(text);
      const waitMs = busyMs(statusCode, headers);
      if (waitMs === undefined || left <= 1) throw toKubeError(statusCode, what, parse(text));
      await delay(waitMs, { signal }).catch((cause: unknown) => {
        throw noAnswer(what, cause);
      });
    }
  }

  return {
    request,
    stream: async ({ signal, ...call }) => {
      const get: KubeRequest = { ...call, method: 'GET' };
      const { statusCode, body } = await send(streams, get, signal);
      const what = `GET ${call.path}`;
      if (statusCode === 200) return jsonLines(body, what);
      throw toKubeError(statusCode, what, parse(await readText(body, what)));
    },
    close: async () => {
      await Promise.all([calls.destroy(), streams.destroy()]);
    },
  };
}

/**
 * Awaits a response, but rejects as soon as the signal aborts. Without this function, an aborted call could wait for
 * the whole `CONNECT_TIMEOUT_MS`, because undici notices an abort only after it has connected. A response that arrives
 * after the abort is discarded.
 */
async function unlessAborted(
  signal: AbortSignal,
  answering: Promise<Dispatcher.ResponseData>,
): Promise<Dispatcher.ResponseData> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([answering, aborted.promise]);
  } catch (error) {
    answering.then(({ body }) => body.destroy()).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function readText(body: Dispatcher.ResponseData['body'], what: string): Promise<string> {
  try {
    return await body.text();
  } catch (cause) {
    throw noAnswer(what, cause);
  }
}

/** Parses one JSON value per line. */
async function* jsonLines(body: AsyncIterable<Buffer>, what: string): AsyncIterable<unknown> {
  try {
    for await (const line of lines(body)) {
      if (line.length > 0) yield JSON.parse(line.toString('utf8'));
    }
  } catch (cause) {
    throw noAnswer(what, cause);
  }
}

/** Splits a body into lines. A line may span several chunks, and a chunk may contain several lines. */
async function* lines(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let pieces: Buffer[] = [];
  for await (const piece of body) {
    let start = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, start)) {
      pieces.push(piece.subarray(start, end));
      yield pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      pieces = [];
      start = end + 1;
    }
    if (start < piece.length) pieces.push(piece.subarray(start));
  }
}

/**
 * Returns the time in ms to wait before sending the request again. Returns undefined if the response does not mean that
 * the server is too busy.
 */
function busyMs(
  statusCode: number,
  headers: Dispatcher.ResponseData['headers'],
): number | undefined {
  const askedMs = retryAfterMs(headers, epochMs());
  if (statusCode === 429) return Math.min(askedMs ?? 1_000, RETRY_AFTER_MAX_MS);
  if (statusCode === 503 && askedMs !== undefined) return Math.min(askedMs, RETRY_AFTER_MAX_MS);
  return undefined;
}

/** Returns the error for a request that got no response. */
export function noAnswer(what: string, cause: unknown): KubeConnectionError {
  const reason = reasonOf(cause) || String(cause);
  const isShutOff = codeOf(cause) === 'UND_ERR_CONNECT_TIMEOUT';
  return new KubeConnectionError(`${what}: ${reason}${isShutOff ? `; ${SHUT_OFF}` : ''}`, {
    cause,
  });
}

/** Hint for a connection timeout, which typically means that a network policy drops packets. */
const SHUT_OFF =
  'a network policy may block connections from this pod to the API server: see ' +
  'networkPolicy.kubernetesApiCidrs or, with Cilium, use a CiliumNetworkPolicy';

/**
 * Parses a body as JSON. Returns undefined for any other body, such as an HTML page from a proxy. In that case, the
 * error contains only the status code.
 */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
