import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../../clock.ts';
import { ApiError, reasonOf } from '../../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { asWork } from '../../observability/work.ts';
import { answerLast } from '../last-answer.ts';
import { createRefusalPace } from '../rate-limit.ts';
import { admitConnection } from '../server.ts';
import { createFairPlaces } from './fair-places.ts';
import { createFrameQueue, type Frame, type FrameQueue } from './frame-queue.ts';

/**
 * WebSockets (RFC 6455). Each kind of socket has its own path, in addition to the HTTP routes. Frames are text; a path
 * may also accept binary frames.
 */

export type Socket = {
  /**
   * Sends a text frame. Does nothing if the socket is closed. A client that does not read its frames is disconnected.
   */
  send: (text: string) => void;
  sendBytes: (bytes: Uint8Array) => void;
  /** Closes the socket with a code from RFC 6455 §7.4, 1000 by default. The handlers get no more frames. */
  close: (code?: number, reason?: string) => void;
  /** Drops all waiting frames and all frames that arrive later, so that the handlers get no more frames. */
  takeNoMore: () => void;
  /**
   * Moves the socket from the slots for unauthenticated clients to the authenticated slots of its path. Call it after
   * the client has sent a valid token for this namespace. Before that, the socket may lose its slot to a newer client.
   * Returns false if the namespace has no slot left.
   */
  admit: (namespace: string) => boolean;
};

/**
 * Handlers for a socket. A handler's promise settles when its frame has been handled. While too many promises are
 * pending, nothing is read from the socket.
 */
export type SocketHandlers = {
  onText: (text: string) => Promise<void> | undefined;
  /**
   * Handles a binary frame. The memory of the frame then belongs to the handler. If `onBytes` is absent, a binary frame
   * closes the socket (1003).
   */
  onBytes?: (bytes: Buffer) => Promise<void> | undefined;
  /** Called once, however the socket was closed. `code` is 1006 if no close frame arrived. */
  onClose: (code: number) => void;
};

export type SocketRoute = {
  path: string;
  /** Maximum size of a frame in bytes. A longer frame closes the socket (1009). */
  frameBytesMax: number;
  /** Number of bytes of text that may arrive in a burst before the rate limit applies, 4 MiB by default. */
  burstBytes?: number;
  /**
   * Maximum number of authenticated sockets on this path. Paths for web pages set it, so that slots remain for phone
   * calls.
   */
  openMax?: number;
  accept: (socket: Socket, opened: Opened) => SocketHandlers;
};

/** The request that opened the socket. `address` is the remote address, which may belong to a proxy. */
export type Opened = { headers: IncomingMessage['headers']; url: string; address: string };

export type Sockets = {
  /** Handles the HTTP server's `upgrade` event. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Closes open sockets (1001) and refuses new ones. */
  stop: () => void;
};

/** Maximum number of authenticated sockets in one process, on all paths together. */
const OPEN_MAX = 2_000;
/** Maximum number of sockets whose clients have not authenticated yet (called strangers in the code). */
const STRANGERS_MAX = 500;
/**
 * When this fraction of the slots is in use, a namespace gets another slot only if it holds less than half of all slots
 * (`SHARE`). No namespace can therefore take all slots.
 */
const CROWDED = 0.8;
const SHARE = 0.5;
/**
 * Number of open sockets above which rejected sockets are closed without delay, because a delayed socket stays open.
 */
const HELD_MAX = 4_000;
/**
 * Longest delay in ms before a rejected socket is closed. Opening and rejecting a socket costs several times as much as
 * a response with status 429. A client may keep 900 sockets open and reopen each as soon as it is closed. With this
 * delay, such a client causes only about 200 rejections per second.
 */
const REFUSED_MS_MAX = 5_000;
/**
 * Maximum number of bytes waiting to be sent to a client. If there are more, the client is disconnected. The value
 * is enough for several seconds of speech in any format.
 */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** Interval between pings in ms. A peer that has not replied to a ping by the next one is considered gone. */
const PING_MS = 15_000;
/** Time in ms that the peer has to close its side. After that time, the connection is cut. */
const CLOSE_MS = 1_000;

const NO_PLACE = 'This process has no free slot for another WebSocket. Reconnect in a second.';

/**
 * Creates the WebSocket server.
 * @param options `strangersMax` is the maximum number of unauthenticated sockets, 500 by default
 */
export function createSockets(
  routes: readonly SocketRoute[],
  { log, strangersMax = STRANGERS_MAX }: { log: Logger; strangersMax?: number },
): Sockets {
  const places = createPlaces(strangersMax);
  const alive = new WeakSet<WebSocket>();
  let isStopped = false;
  const served = serversOf(routes);
  const pings = setInterval(() => {
    for (const [socket, { frames }] of places.open) {
      // While reading is paused, a pong cannot arrive, so its absence proves nothing.
      if (alive.delete(socket) || frames.isHeld()) socket.ping();
      else socket.terminate();
    }
  }, PING_MS);
  pings.unref();

  function hold(socket: WebSocket, route: SocketRoute, request: IncomingMessage): void {
    alive.add(socket);
    const { headers, url = '', socket: connection } = request;
    const opened = { headers, url, address: connection.remoteAddress ?? '' };
    const frames = createFrameQueue({
      take: (frame) =>
        asWork({ name: `frame of ${route.path}`, namespace: held.namespace }, () =>
          takeFrame(frame, { handlers, end, log }),
        ),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      onOverflow: () => end.close(1008, 'too many unprocessed frames'),
      burstBytes: route.burstBytes,
      namespace: () => held.namespace,
    });
    const admit = (namespace: string): boolean => {
      if (!places.admit(socket, route, namespace)) return false;
      admitConnection(connection);
      return true;
    };
    const end = { ...endOf(socket, frames, () => places.refuse(socket, opened.address)), admit };
    const held: Held = { path: route.path, namespace: undefined, end, frames };
    places.enter(socket, held, opened.address);
    const handlers = route.accept(end, opened);
    const onClose = (code: number): void => {
      places.leave(socket);
      handlers.onClose(code);
    };
    listen(socket, { frames, log, onClose, isThere: () => alive.add(socket) });
  }

  return {
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      const found = served.get((request.url ?? '').split('?')[0] ?? '');
      if (!found)
        return answerLast(socket, new ApiError('not_found', 'There is no WebSocket at this path.'));
      if (isStopped || places.isFull(found.route)) {
        return answerLast(socket, new ApiError('unavailable', NO_PLACE, { retryAfterSec: 1 }));
      }
      found.server.handleUpgrade(request, socket, head, (opened) =>
        hold(opened, found.route, request),
      );
    },
    stop: () => {
      isStopped = true;
      clearInterval(pings);
      for (const { end } of places.open.values()) end.close(1001);
    },
  };
}

type Listening = {
  frames: FrameQueue;
  log: Logger;
  isThere: () => void;
  onClose: (code: number) => void;
};

function listen(socket: WebSocket, { frames, log, isThere, onClose }: Listening): void {
  socket
    .on('message', (data, isBinary) => {
      isThere();
      frames.push({ bytes: bytesOf(data), isBinary });
    })
    .on('pong', isThere)
    // The peer violated the protocol: a frame is too long or is not UTF-8. The library has already closed the socket.
    .on('error', (error) =>
      log.debug({ reason: error.message }, 'peer violated the WebSocket protocol'),
    )
    .on('close', (code) => {
      frames.close();
      onClose(code);
    });
}

/** Returns the WebSocket servers by path. */
function serversOf(routes: readonly SocketRoute[]) {
  // Compression is off, because frames are small and sent immediately, so compressing them would cost more than it
  // saves.
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false } as const;
  return new Map(
    routes.map((route) => {
      const bounds = { maxPayload: route.frameBytesMax, closeTimeout: CLOSE_MS };
      return [route.path, { route, server: new WebSocketServer({ ...options, ...bounds }) }];
    }),
  );
}

/** An open socket. `namespace` is undefined until the client has authenticated. */
type Held = { path: string; namespace: string | undefined; end: Socket; frames: FrameQueue };

/**
 * Tracks the open sockets of a process: unauthenticated sockets, authenticated ones, and rejected ones that are waiting
 * to be closed.
 */
function createPlaces(strangersMax: number) {
  const open = new Map<WebSocket, Held>();
  const admitted = new Set<Held>();
  const strangers = createFairPlaces<WebSocket>(strangersMax);
  const pace = createRefusalPace(REFUSED_MS_MAX);
  return {
    open,
    isFull: (route: SocketRoute) => isFull(admitted, route),
    enter: (socket: WebSocket, held: Held, address: string): void => {
      open.set(socket, held);
      strangers.take(address, socket)?.terminate();
    },
    admit: (socket: WebSocket, route: SocketRoute, namespace: string): boolean => {
      const held = open.get(socket);
      if (!held || isFull(admitted, route, namespace)) return false;
      held.namespace = namespace;
      admitted.add(held);
      strangers.leave(socket);
      return true;
    },
    /**
     * Returns how long to delay closing a rejected socket, in ms. Frees the socket's slot for another unauthenticated
     * client.
     */
    refuse: (socket: WebSocket, address: string): number => {
      if (open.get(socket)?.namespace !== undefined) return 0;
      strangers.leave(socket);
      return open.size > HELD_MAX ? 0 : pace(address);
    },
    leave: (socket: WebSocket): void => {
      const held = open.get(socket);
      if (held) admitted.delete(held);
      open.delete(socket);
      strangers.leave(socket);
    },
  };
}

/** Returns true if no slot is free, either overall or for this namespace. */
function isFull(
  all: Iterable<Held>,
  { path, openMax = OPEN_MAX }: SocketRoute,
  namespace?: string,
): boolean {
  const admitted = [...all];
  const ofPath = admitted.filter((one) => one.path === path);
  return isTaken(ofPath, openMax, namespace) || isTaken(admitted, OPEN_MAX, namespace);
}

function isTaken(admitted: readonly Held[], max: number, namespace: string | undefined): boolean {
  if (admitted.length >= max) return true;
  if (namespace === undefined || admitted.length < max * CROWDED) return false;
  return admitted.filter((one) => one.namespace === namespace).length >= max * SHARE;
}

function takeFrame(
  { bytes, isBinary }: Frame,
  { handlers, end, log }: { handlers: SocketHandlers; end: Socket; log: Logger },
): Promise<void> | undefined {
  const { onBytes, onText } = handlers;
  if (isBinary && !onBytes) {
    end.close(1003, 'binary frames are not allowed');
    return undefined;
  }
  const fail = (error: unknown): void => {
    log.error({ reason: reasonOf(error) }, 'could not process a WebSocket frame');
    end.close(1011);
  };
  try {
    const taken = isBinary ? onBytes?.(bytes) : onText(bytes.toString('utf8'));
    return taken?.catch(fail);
  } catch (error) {
    fail(error);
    return undefined;
  }
}

/**
 * Creates a `Socket` without `admit`.
 * @param hold returns how long to delay the close, in ms
 */
function endOf(
  socket: WebSocket,
  frames: Pick<FrameQueue, 'close'>,
  hold: () => number,
): Omit<Socket, 'admit'> {
  let isClosed = false;
  const send = (data: string | Uint8Array): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
    else socket.send(data);
  };
  return {
    send,
    sendBytes: send,
    takeNoMore: frames.close,
    close: (code = 1000, reason) => {
      if (isClosed) return;
      isClosed = true;
      frames.close();
      const close = (): void => {
        socket.close(code, reason);
        // Ends the connection, and so frees its slot, even if the peer never replies to the close frame.
        const late = setTimeout(() => socket.terminate(), CLOSE_MS);
        socket.once('close', () => clearTimeout(late));
      };
      const waitMs = code === 1000 || code === 1001 ? 0 : hold();
      if (waitMs === 0) close();
      else setTimeout(close, waitMs);
    },
  };
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}
