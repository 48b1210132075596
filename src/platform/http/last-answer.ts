import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '../../clock.ts';
import type { ApiError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';

/** Time that the other end has to read the answer and to close as well. */
const CLOSE_MS = 1_000;
/**
 * Maximum number of connections that wait out CLOSE_MS. Each takes tens of KiB, and a stranger can open a thousand a
 * second.
 */
const ENDING_MAX = 200;
/** Bytes that are read and dropped after a last answer. */
const REST_BYTES_MAX = 64 * 1024;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/** Answers a request on a connection that Node no longer handles, and ends the connection. */
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
  // Keeps reading, because unread bytes would cause a reset, which could take the answer with it.
  dropRest(socket);
  destroySoon(socket);
}

/** Ends our side of a connection and reads nothing more from the other side. */
export function endUnread(socket: Duplex): void {
  socket.end();
  socket.pause();
  socket.resume = () => socket; // Node calls this when the request has room again.
  destroySoon(socket);
}

function dropRest(socket: Duplex): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > REST_BYTES_MAX) socket.pause();
  });
}

/** Connections that we have ended and whose other end is still open, oldest first. */
const ending = new Set<Duplex>();

/**
 * Destroys a connection after CLOSE_MS, or earlier if it is the oldest of more than 200. Nothing else would destroy a
 * connection whose other end stays open.
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
    ending.delete(oldest); // Its event `close` comes in a later turn of the event loop, so remove it here.
    oldest.destroy();
  }
}
