import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import {
  clearInterval,
  clearTimeout,
  delay,
  monotonicMs,
  setInterval,
  setTimeout,
} from '../../clock.ts';
import { ApiError, codeOf, StartupError } from '../../errors.ts';
import { beginInTurn } from '../controller/event-loop-turns.ts';
import type { Logger } from '../observability/logger.ts';
import { namespaceOf } from './authorize.ts';
import { createFairPlaces } from './sockets/fair-places.ts';
import { answerLast } from './last-answer.ts';
import { createRefusalPace } from './rate-limit.ts';

/** The API's HTTP server: its limits, its choice of a port, and a shutdown that loses no responses. */

/** Maximum time in ms from the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
/**
 * Interval in ms at which both timeouts are checked. With Node's default of 30 s, a timeout of 15 s could take 45 s.
 */
const CHECK_INTERVAL_MS = 1_000;
/**
 * Idle time in ms after which the server closes a connection. It is longer than the usual 60 s of load balancers and
 * proxies. If the server closed first, a proxy could send its next request on a connection that is just closing, and
 * respond to its client with 502.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const HEADER_BYTES_MAX = 16 * 1024;
const CONNECTIONS_MAX = 10_000;
/**
 * Maximum number of unauthenticated connections (called strangers in the code). The other slots, of `CONNECTIONS_MAX`,
 * are for authenticated connections.
 */
const STRANGERS_MAX = 5_000;
/** Time in ms after which a connection is cut if the client has not read a completed response. */
const STALLED_MS = 30_000;
/**
 * Maximum total size in bytes of completed responses that clients have not read yet. If the total is larger, the
 * connections with the oldest unread responses are cut.
 */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Maximum number of pipelined requests on one connection that may wait for the responses to earlier requests. If more
 * requests arrive, the connection is cut.
 */
const PIPELINED_MAX = 16;
const DRAIN_MS = 10_000;
/**
 * Shutdown phase in which every response carries `Connection: close`. A client with a kept-alive connection has `maxMs`
 * to send one more request; the response to that request announces the shutdown. The phase ends early if no request
 * arrives for `quietMs`. `lookMs` is the polling interval.
 */
const FAREWELL = { maxMs: 5_000, quietMs: 1_000, lookMs: 50 };
const PORTS_TRIED = 100;

export type Listening = { url: string; port: number; stop: () => Promise<void> };

export type ListenOptions = {
  host: string;
  port: number;
  /** If true and the port is in use, the server tries the next ports. If false, it throws a `StartupError`. */
  fallbackToFreePort: boolean;
  /** Handles upgrades to a WebSocket. If it is omitted, upgrade requests are handled as plain HTTP. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  log: Logger;
  /** Maximum number of unauthenticated connections. The default is 5,000. */
  strangersMax?: number;
  /** Time in ms that a client has to read a completed response. The default is 30 s. */
  stalledMs?: number;
  /** Maximum total size in bytes of unread responses. The default is 64 MiB. */
  unreadBytesMax?: number;
};

/** Starts the HTTP server. @throws StartupError if it cannot listen on this host and port */
export async function serve(app: RequestListener, options: ListenOptions): Promise<Listening> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    (request, response) => {
      farewell.onRequest(response);
      unread.watch(response);
      takeInTurn(request, response, () =>
        beginInTurn(
          () => namespaceOf(request.headers),
          () => {
            if (!response.destroyed) app(request, response);
          },
        ),
      );
    },
  );
  const farewell = createFarewell(server);
  const unread = watchUnread(options);
  const silent = watchStrangers(server, options.strangersMax ?? STRANGERS_MAX);
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', answeringInTurns());
  const { upgrade } = options;
  if (upgrade) {
    server.on('upgrade', (request, socket, head) =>
      beginInTurn(
        () => undefined,
        () => upgrade(request, socket, head),
      ),
    );
  }
  await listenSomewhere(server, options);
  // Accepting a connection may fail temporarily, for example if too many files are open. An unhandled `error` event
  // would end the process.
  server.on('error', (error) =>
    options.log.error({ reason: error.message }, 'cannot accept connections'),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  let stopping: Promise<void> | undefined;
  return {
    port,
    url: `http://${shownHost(options.host)}:${port}`,
    stop: () => (stopping ??= farewell.say().then(() => drain(server, silent))),
  };
}

async function listenSomewhere(server: Server, options: ListenOptions): Promise<void> {
  const { host, port, fallbackToFreePort } = options;
  const last = fallbackToFreePort && port !== 0 ? Math.min(port + PORTS_TRIED, 65_535) : port;
  for (let candidate = port; ; candidate += 1) {
    try {
      await listen(server, candidate, host);
      return;
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'EADDRINUSE' || candidate >= last)
        throw cannotListen(error, { host, port, code });
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function cannotListen(
  cause: unknown,
  at: { host: string; port: number; code: string },
): StartupError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${at.port} is already in use: stop the other program, or set PARLEY_PORT to a different port`,
    EACCES: `this user is not allowed to listen on port ${at.port}: set PARLEY_PORT above 1023`,
    EADDRNOTAVAIL: `${at.host} is not an address of this machine: correct PARLEY_HOST`,
    ENOTFOUND: `${at.host} is not an address of this machine: correct PARLEY_HOST`,
  };
  const reason = reasons[at.code] ?? `cannot listen on ${at.host}, port ${at.port} (${at.code})`;
  return new StartupError(`PARLEY_PORT: ${reason}`, { cause });
}

/**
 * Announces the shutdown by sending `Connection: close` with every response. Otherwise the server could close a
 * kept-alive connection just as the client sends its next request. The client would not know whether that request was
 * processed, so it could not repeat it. The announcement ends when no client is connected, when no request has arrived
 * for a second, or after 5 s.
 */
function createFarewell(server: Server) {
  let isLeaving = false;
  let requestedAtMs = 0;
  const isOver = async (endMs: number): Promise<boolean> => {
    const nowMs = monotonicMs();
    if (nowMs > endMs || nowMs - requestedAtMs > FAREWELL.quietMs) return true;
    return (await promisify(server.getConnections.bind(server))()) === 0;
  };
  return {
    onRequest: (response: ServerResponse): void => {
      requestedAtMs = monotonicMs();
      if (isLeaving) response.setHeader('connection', 'close');
    },
    say: async (): Promise<void> => {
      isLeaving = true;
      const endMs = monotonicMs() + FAREWELL.maxMs;
      while (!(await isOver(endMs))) await delay(FAREWELL.lookMs);
    },
  };
}

/** Waits at most 10 s for requests in flight to finish. Closes idle connections immediately. */
async function drain(server: Server, silent: SilentConnections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  silent.destroy();
  // `close()` closes only the connections that are idle when it is called. Others become idle later, when their
  // responses have been sent.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const end = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(end);
}

const admissions = new WeakMap<object, () => void>();

/**
 * Frees the slot that a connection occupied while it was unauthenticated. Call it after the client has sent a valid
 * key or token.
 */
export function admitConnection(connection: object): void {
  admissions.get(connection)?.();
}

type SilentConnections = { destroy: () => void };

/**
 * Gives each new connection one of the slots for unauthenticated connections. The connection keeps the slot until it
 * authenticates or closes.
 */
function watchStrangers(server: Server, max: number): SilentConnections {
  const places = createFairPlaces<Socket>(max);
  const strangers = new Set<Socket>();
  server.on('connection', (socket) => {
    const leave = (): void => {
      places.leave(socket);
      strangers.delete(socket);
    };
    admissions.set(socket, leave);
    socket.once('close', leave);
    strangers.add(socket);
    places.take(socket.remoteAddress ?? '', socket)?.destroy();
  });
  return {
    destroy: () => {
      for (const socket of strangers) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

/**
 * Runs the requests of a connection one after the other. Otherwise, Node would pass all pipelined requests to the
 * handlers together (RFC 9112 §9.3.2), and would buffer their responses until the client has read the first one. A
 * connection with too many waiting requests is destroyed.
 */
function takeInTurn(request: IncomingMessage, response: ServerResponse, run: () => void): void {
  const { socket } = request;
  const waiting = pipelines.get(socket) ?? [];
  if (socket.destroyed) return;
  if (waiting.length > PIPELINED_MAX) {
    socket.destroy();
    return;
  }
  pipelines.set(socket, waiting);
  response.once('close', () => {
    waiting.shift();
    if (!socket.destroyed) waiting[0]?.();
  });
  waiting.push(run); // The first request in the list is running. Only the others are waiting.
  if (waiting.length === 1) run();
}

const pipelines = new WeakMap<Socket, (() => void)[]>();

/**
 * Limits unread responses, because Node would buffer them forever. Each response may stay unread for `stalledMs`, and
 * all of them together may take `unreadBytesMax` bytes. If they take more, the connections with the oldest unread
 * responses are destroyed.
 */
function watchUnread({ stalledMs = STALLED_MS, unreadBytesMax = UNREAD_BYTES_MAX }) {
  const unread = new Map<ServerResponse, { socket: Socket; bytes: number }>();
  let allBytes = 0;
  const forget = (response: ServerResponse): void => {
    allBytes -= unread.get(response)?.bytes ?? 0;
    unread.delete(response);
  };
  return {
    watch: (response: ServerResponse): void => {
      response.once('prefinish', () => {
        const { socket } = response;
        if (response.writableFinished || socket === null) return;
        socket.setTimeout(stalledMs);
        const bytes = socket.writableLength;
        unread.set(response, { socket, bytes });
        allBytes += bytes;
        response.once('close', () => forget(response));
        for (const [oldest, { socket: held }] of unread) {
          if (allBytes <= unreadBytesMax) return;
          forget(oldest);
          held.destroy();
        }
      });
    },
  };
}

/** Maximum number of invalid requests to respond to in one turn of the event loop. Thousands can time out at once. */
const BROKEN_AT_ONCE = 100;
/**
 * Maximum number of invalid requests whose response is delayed. If there are more, the oldest one gets its response
 * immediately.
 */
const BROKEN_HELD_MAX = 200;

/** Returns a handler that responds to invalid requests in batches, and yields to other work between the batches. */
export function answeringInTurns(): (error: Error, socket: Duplex) => void {
  const answer = createDelayedAnswers();
  let waiting: Duplex[] = [];
  const answerSome = (): void => {
    const [now, later] = [waiting.slice(0, BROKEN_AT_ONCE), waiting.slice(BROKEN_AT_ONCE)];
    waiting = later;
    for (const socket of now) {
      if (isAnswerable(socket)) answer(socket);
      else socket.destroy();
    }
    if (later.length > 0) setImmediate(answerSome);
  };
  return (_error, socket) => {
    if (waiting.push(socket) === 1) setImmediate(answerSome);
  };
}

/**
 * Returns true if the server may respond to a request that Node could not parse, or that came too slowly. Returns false
 * if another response has begun on the connection, because a second response would corrupt it. Also returns false if
 * the client has sent no data. Browsers open spare connections, and would take such a response for the response to
 * their next request.
 */
function isAnswerable(socket: Duplex): socket is Socket {
  const isFirst = socket instanceof Socket && socket.bytesRead > 0 && socket.bytesWritten === 0;
  return socket.writable && isFirst;
}

/**
 * Returns a function that responds to an invalid request. After a burst, the responses to one address are delayed.
 * Without the delay, a client that opens a connection for each request would keep the process busy: ten such clients
 * send thousands of requests per second.
 */
function createDelayedAnswers(): (socket: Socket) => void {
  const pace = createRefusalPace();
  const delayed = new Map<Socket, NodeJS.Timeout>();
  const forget = (socket: Socket): void => {
    clearTimeout(delayed.get(socket));
    delayed.delete(socket);
  };
  const answer = (socket: Socket): void => {
    forget(socket);
    if (!socket.writable) return;
    const detail = 'The request is not valid HTTP, or it arrived too slowly.';
    answerLast(socket, new ApiError('malformed_request', detail));
    socket.resume();
  };
  return (socket) => {
    if (delayed.has(socket)) return; // The request failed again, for example because it also timed out.
    const waitMs = pace(socket.remoteAddress ?? '');
    if (waitMs === 0) return answer(socket);
    socket.pause();
    socket.once('close', () => forget(socket));
    delayed.set(
      socket,
      setTimeout(() => answer(socket), waitMs),
    );
    const [oldest] = delayed.keys();
    if (delayed.size > BROKEN_HELD_MAX && oldest) answer(oldest);
  };
}

/** Returns a host for a URL that a browser on this machine can open. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
