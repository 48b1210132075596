import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { clearInterval, setInterval } from '../../../clock.ts';
import { ApiError, reasonOf } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import type { Logger } from '../../observability/logger.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from '../problem.ts';

/** WebSockets (RFC 6455) beside the routes: of one path each, whose frames are text, and bytes where it takes them. */

/** One end of an open socket. */
export type Socket = {
  /** Sends a frame; nothing once it is closed. A reader that does not read is cut. */
  send: (text: string) => void;
  sendBytes: (bytes: Uint8Array) => void;
  /** Codes as RFC 6455 §7.4 has them; 1000: all is said. */
  close: (code?: number, reason?: string) => void;
};

export type SocketHandlers = {
  onText: (text: string) => void;
  /** Absent: frames are text, and others close the socket (1003). The memory is the receiver's. */
  onBytes?: (bytes: Buffer) => void;
  /** Once, however it was closed; `code`: 1006 where nobody said so. */
  onClose: (code: number) => void;
};

export type SocketRoute = {
  path: string;
  /** Longer frames close the socket (1009). */
  frameBytesMax: number;
  /** Of the sockets of a process, so many at most: whom strangers may open leaves room for others. */
  openMax?: number;
  accept: (socket: Socket, opened: Opened) => SocketHandlers;
};

/** What it was opened with; `address`: of the other end, a proxy's where one is in front. */
export type Opened = { headers: IncomingMessage['headers']; url: string; address: string };

export type Sockets = {
  /** Of a server's event `upgrade`. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Closes what is open (1001) and opens no more. */
  stop: () => void;
};

/** Of all paths, in one process: beside what requests are open. */
const OPEN_MAX = 2_000;
/** What may wait to be sent: seconds of speech, whatever form it has. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** Who has not answered a ping when the next one is due is gone. */
const PING_MS = 15_000;

export function createSockets(routes: readonly SocketRoute[], { log }: { log: Logger }): Sockets {
  /** With its path. */
  const open = new Map<WebSocket, string>();
  const alive = new WeakSet<WebSocket>();
  let isStopped = false;
  const served = new Map(
    routes.map((route) => {
      // Frames are small and on their way at once: to compress them costs more than it saves.
      const options = { noServer: true, clientTracking: false, perMessageDeflate: false } as const;
      return [
        route.path,
        { route, server: new WebSocketServer({ ...options, maxPayload: route.frameBytesMax }) },
      ];
    }),
  );
  const pings = setInterval(() => {
    for (const socket of open.keys()) {
      if (alive.delete(socket)) socket.ping();
      else socket.terminate();
    }
  }, PING_MS);
  pings.unref();

  function hold(socket: WebSocket, route: SocketRoute, request: IncomingMessage): void {
    open.set(socket, route.path);
    alive.add(socket);
    const { headers, url = '', socket: connection } = request;
    const opened = { headers, url, address: connection.remoteAddress ?? '' };
    const handlers = route.accept(endOf(socket), opened);
    listen(socket, { log, isThere: () => alive.add(socket) }, handlers);
    socket.on('close', () => open.delete(socket));
  }

  function isFull({ path, openMax = OPEN_MAX }: SocketRoute): boolean {
    return [...open.values()].filter((one) => one === path).length >= openMax;
  }

  return {
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      const path = (request.url ?? '').split('?')[0] ?? '';
      const found = served.get(path);
      if (!found)
        return refuse(socket, new ApiError('not_found', 'there is no socket at this path'));
      if (isStopped || open.size >= OPEN_MAX || isFull(found.route)) {
        const detail = 'this process takes no more sockets; another one does';
        return refuse(socket, new ApiError('unavailable', detail, { retryAfterSec: 1 }));
      }
      found.server.handleUpgrade(request, socket, head, (opened) =>
        hold(opened, found.route, request),
      );
    },
    stop: () => {
      isStopped = true;
      clearInterval(pings);
      for (const socket of open.keys()) socket.close(1001);
    },
  };
}

function listen(
  socket: WebSocket,
  { log, isThere }: { log: Logger; isThere: () => void },
  { onText, onBytes, onClose }: SocketHandlers,
): void {
  socket
    .on('message', (data, isBinary) => {
      isThere();
      if (isBinary && !onBytes) return socket.close(1003, 'frames are text');
      try {
        if (isBinary) onBytes?.(bytesOf(data));
        else onText(bytesOf(data).toString('utf8'));
      } catch (error) {
        log.error({ reason: reasonOf(error) }, 'a frame of a socket failed');
        socket.close(1011);
      }
    })
    .on('pong', isThere)
    // Of the sender: a frame too long, no UTF-8. The socket is closed by then.
    .on('error', (error) => log.debug({ reason: error.message }, 'a socket broke a rule'))
    .on('close', onClose);
}

function endOf(socket: WebSocket): Socket {
  const send = (data: string | Uint8Array): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
    else socket.send(data);
  };
  return {
    send,
    sendBytes: send,
    close: (code = 1000, reason) => socket.close(code, reason),
  };
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** Before it is a socket it is a request, and is answered as one. */
function refuse(socket: Duplex, error: ApiError): void {
  const requestId = newId('req');
  const body = JSON.stringify(problemOf(error, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${error.status === 404 ? 'Not Found' : 'Service Unavailable'}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    ...(error.retryAfterSec === undefined ? [] : [`Retry-After: ${error.retryAfterSec}`]),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
