import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '../../clock.ts';
import type { ApiError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';

/** How long the other end may take to read the answer and to close as well. */
const CLOSE_MS = 1_000;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/**
 * Answers a request on a connection that Node has let go of, and ends it. Nobody else would ever destroy a connection
 * whose other end stays open.
 */
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
  // What still comes is dropped: a reset instead of an end could take the answer with it.
  socket.resume();
  const late = setTimeout(() => socket.destroy(), CLOSE_MS);
  socket.once('close', () => clearTimeout(late));
}
