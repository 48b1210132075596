import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { ApiError, reasonOf } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import type { Logger } from '../../observability/logger.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from '../problem.ts';

/** WebSockets (RFC 6455) beside the routes: of one path each, whose frames are text. */

/** One end of an open socket. */
export type Socket = {
  /** Sends a frame; nothing once it is closed. A reader that does not read is cut. */
  send: (text: string) => void;
  /** Codes as RFC 6455 §7.4 has them; 1000: all is said. */
  close: (code?: number, reason?: string) => void;
};

export type SocketHandlers = {
  onText: (text: string) => void;
  /** Once, however it was closed. */
  onClose: () => void;
};

export type SocketRoute = {
  path: string;
  /** Longer frames close the socket (1009). */
  frameBytesMax: number;
  /** `opened`: what it was opened with. */
  accept: (
    socket: Socket,
    opened: { headers: IncomingMessage['headers']; url: string },
  ) => SocketHandlers;
};

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
  const open = new Set<WebSocket>();
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
    for (const socket of open) {
      if (alive.delete(socket)) socket.ping();
      else socket.terminate();
    }
  }, PING_MS);
  pings.unref();

  function hold(socket: WebSocket, { accept }: SocketRoute, request: IncomingMessage): void {
    open.add(socket);
    alive.add(socket);
    const handlers = accept(endOf(socket), { headers: request.headers, url: request.url ?? '' });
    const fail = (error: unknown): void => {
      log.error({ reason: reasonOf(error) }, 'a frame of a socket failed');
      socket.close(1011);
    };
    socket
      .on('message', (data, isBinary) => {
        alive.add(socket);
        if (isBinary) return socket.close(1003, 'frames are text');
        try {
          handlers.onText(textOf(data));
        } catch (error) {
          fail(error);
        }
      })
      .on('pong', () => alive.add(socket))
      // Of the sender: a frame too long, no UTF-8. The socket is closed by then.
      .on('error', (error) => log.debug({ reason: error.message }, 'a socket broke a rule'))
      .on('close', () => {
        open.delete(socket);
        handlers.onClose();
      });
  }

  return {
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      const path = (request.url ?? '').split('?')[0] ?? '';
      const found = served.get(path);
      if (!found)
        return refuse(socket, new ApiError('not_found', 'there is no socket at this path'));
      if (isStopped || open.size >= OPEN_MAX) {
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
      for (const socket of open) socket.close(1001);
    },
  };
}

function endOf(socket: WebSocket): Socket {
  return {
    send: (text) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
      else socket.send(text);
    },
    close: (code = 1000, reason) => socket.close(code, reason),
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
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
