import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '../../clock.ts';
import type { ApiError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';

/** How long the other end may take to read the answer and to close as well. */
const CLOSE_MS = 1_000;
/** Maximum number of connections that wait for this second. Each takes tens of KiB, and a stranger can open a thousand a second. */
const ENDING_MAX = 200;
/** Bytes after a last answer that are read and dropped. */
const REST_BYTES_MAX = 64 * 1024;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/** Answers a request on a connection that Node has let go of, and ends it. */
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
  // A reset instead of an end could take the answer with it.
  dropRest(socket);
  destroySoon(socket);
}

/** Ends our side of a connection and reads no more of the other side, whatever it still sends. */
export function endUnread(socket: Duplex): void {
  socket.end();
  socket.pause();
  socket.resume = () => socket; // Node calls it when the request has room again.
  destroySoon(socket);
}

function dropRest(socket: Duplex): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > REST_BYTES_MAX) socket.pause();
  });
}

/** Connections that we have ended and whose other end is open, oldest first. */
const ending = new Set<Duplex>();

/**
 * Destroys a connection that we have ended after a second, or earlier if it is the oldest of more than 200. Nobody else
 * would ever destroy a connection whose other end stays open.
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
    ending.delete(oldest); // It closes in a later turn of the event loop.
    oldest.destroy();
  }
}
