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

/** The HTTP server of the API: its limits, its choice of a port, and a shutdown that loses no answer. */

/** Time from the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Interval at which both timeouts are checked. Node's default of 30 s would turn 15 s into 45. */
const CHECK_INTERVAL_MS = 1_000;
/** Longer than a client's pause between two requests, and short enough to free idle sockets. */
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;
const CONNECTIONS_MAX = 10_000;
/** Maximum number of connections that have not shown a key or a token. The rest is for those that have. */
const STRANGERS_MAX = 5_000;
/** Time after which a complete answer is cut if its client takes no data. */
const STALLED_MS = 30_000;
/** Maximum size of all such answers together. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
/** Requests of a connection that may wait for the answer before theirs. */
const PIPELINED_MAX = 16;
const DRAIN_MS = 10_000;
/** A client with a kept connection learns of the shutdown from an answer, and has this long to send a request. */
const FAREWELL = { maxMs: 5_000, quietMs: 1_000, lookMs: 50 };
const PORTS_TRIED = 100;

export type Listening = { url: string; port: number; stop: () => Promise<void> };

export type ListenOptions = {
  host: string;
  port: number;
  /** If the port is taken, tries the next one instead of throwing a StartupError. */
  fallbackToFreePort: boolean;
  /** Handles upgrades to a WebSocket. Without it, connections stay HTTP. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  log: Logger;
  /** Default 5,000. */
  strangersMax?: number;
  /** Default 30 s. */
  stalledMs?: number;
  /** Default 64 MiB. */
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
  // Errors such as too many open files: the next connection may succeed. An unhandled error would end the process.
  server.on('error', (error) => options.log.error({ reason: error.message }, 'cannot accept'));
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
    EADDRINUSE: `port ${at.port} is taken: stop what uses it, or set PARLEY_PORT to another`,
    EACCES: `port ${at.port} needs rights this user lacks: set PARLEY_PORT above 1023`,
    EADDRNOTAVAIL: `${at.host} is no address of this machine: set PARLEY_HOST`,
    ENOTFOUND: `${at.host} is no address of this machine: set PARLEY_HOST`,
  };
  const reason = reasons[at.code] ?? `cannot listen on ${at.host}, port ${at.port} (${at.code})`;
  return new StartupError(`PARLEY_PORT: ${reason}`, { cause });
}

/**
 * Announces the shutdown: every answer now carries `Connection: close`. Otherwise a kept connection could close just as
 * its client sends the next request. The client would not know whether that request was processed, so it could not
 * repeat it. The farewell is over when nobody is connected, or when no request has arrived for a second.
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

/** Finishes requests in flight, for 10 s at most. Closes idle connections immediately. */
async function drain(server: Server, silent: SilentConnections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  silent.destroy();
  // close() checks only once, but a connection also becomes idle when its answer is sent.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const end = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(end);
}

const admissions = new WeakMap<object, () => void>();

/** Frees the stranger's place of a connection that has shown a key or a token. */
export function admitConnection(connection: object): void {
  admissions.get(connection)?.();
}

type SilentConnections = { destroy: () => void };

/** Gives connections their places until they are admitted. */
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
 * Runs the requests of a connection one after the other. Node hands over all that arrive together (RFC 9112 §9.3.2),
 * and keeps their answers in memory until the client reads the first one. A connection with too many waiting requests
 * is destroyed.
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
  waiting.push(run); // The first request is not waiting but running.
  if (waiting.length === 1) run();
}

const pipelines = new WeakMap<Socket, (() => void)[]>();

/**
 * Bounds unread answers, because Node keeps them forever. Each may stay for `stalledMs`, and all together may take
 * `unreadBytesMax`. Beyond that, the connection of the oldest answer is cut.
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

/** Maximum number of broken requests answered in one turn, for cases such as thousands that time out together. */
const BROKEN_AT_ONCE = 100;

/** Returns a handler that answers broken requests and yields to other work between batches. */
export function answeringInTurns(): (error: Error, socket: Duplex) => void {
  let waiting: Duplex[] = [];
  const answerSome = (): void => {
    const [now, later] = [waiting.slice(0, BROKEN_AT_ONCE), waiting.slice(BROKEN_AT_ONCE)];
    waiting = later;
    for (const socket of now) answerBrokenRequest(socket);
    if (later.length > 0) setImmediate(answerSome);
  };
  return (_error, socket) => {
    if (waiting.push(socket) === 1) setImmediate(answerSome);
  };
}

/**
 * Answers a request that Node could not parse or that came too slowly. It never reaches the app. A connection that
 * carried no data is closed without an answer: browsers open spare ones, and would take the answer as that to their
 * next request.
 */
function answerBrokenRequest(socket: Duplex): void {
  const isFirst = socket instanceof Socket && socket.bytesRead > 0 && socket.bytesWritten === 0;
  if (!socket.writable || !isFirst) {
    socket.destroy(); // Another answer may be in flight, and writing into it would garble it.
    return;
  }
  const detail = 'the request is not valid HTTP or came too slowly';
  answerLast(socket, new ApiError('malformed_request', detail));
}

/** Returns an address that a browser on this machine can open. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
