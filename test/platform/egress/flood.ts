import type net from 'node:net';
import { onRequest } from './servers.ts';

/** Error for a receiver that does not end its headers. */
export const TOO_LONG = 'The server sent more than 64 KiB before the end of its response headers.';

/**
 * Writes `first`, then `again` for as long as the socket takes it. Large pieces fill the kernel's buffers with few
 * calls: this end runs in the same process and must take no time from the client.
 */
export function pour(socket: net.Socket, first: string, again: string): void {
  const piece = again.repeat(Math.ceil(16_384 / again.length));
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  socket.write(first);
  more();
}

/** Answers each request with `first` and an endless `again`. */
export const flood =
  (first: string, again: string) =>
  (socket: net.Socket): void =>
    onRequest(socket, () => pour(socket, first, again));
