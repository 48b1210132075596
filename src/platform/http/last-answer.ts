import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '../../clock.ts';
import type { ApiError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';

/** Time in ms that the client has to read the response and close its side of the connection. */
const CLOSE_MS = 1_000;
/**
 * Maximum number of connections that may wait for the client to close them. If there are more, the oldest is destroyed.
 * Each such connection takes tens of KiB of memory, and an unauthenticated client can open a thousand per second.
 */
const ENDING_MAX = 200;
/** Maximum number of bytes to read and drop after the last response. If the client sends more, reading is paused. */
const REST_BYTES_MAX = 64 * 1024;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/** Sends an error response on a connection that Node no longer handles, and ends the connection. */
export function answerLast(socket: Duplex, error: ApiError): void {
  const requestId = newId('req');
  const body = JSON.stringify(problemOf(error, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${REASONS[error.status] ?? 'Error'}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    ...(error.retryAfterSec === undefined ? [] : [`Retry-After: ${error.retryAfterSec}`]),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Continues to read the client's data, because unread bytes would cause a reset, and the client could lose the
  // response.
  dropRest(socket);
  destroySoon(socket);
}

/** Ends our side of a connection and stops reading. */
export function endUnread(socket: Duplex): void {
  socket.end();
  socket.pause();
  socket.resume = () => socket; // Node would otherwise read again when the request's buffer has room.
  destroySoon(socket);
}

function dropRest(socket: Duplex): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > REST_BYTES_MAX) socket.pause();
  });
}

/** Connections that we have ended but that the clients have not closed yet, oldest first. */
const ending = new Set<Duplex>();

/**
 * Destroys a connection after `CLOSE_MS`, or earlier if it is the oldest of more than `ENDING_MAX` such connections.
 * Otherwise, a client that never closes its side would keep the connection open forever.
 */
function destroySoon(socket: Duplex): void {
  const late = setTimeout(() => socket.destroy(), CLOSE_MS);
  ending.add(socket);
  socket.once('close', () => {
    clearTimeout(late);
    ending.delete(socket);
  });
  const [oldest] = ending;
  if (ending.size > ENDING_MAX && oldest) {
    // Removed here, because `oldest` emits its `close` event only in a later turn of the event loop.
    ending.delete(oldest);
    oldest.destroy();
  }
}
