import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { EgressFailure, isDroppedConnection } from './failure.ts';

/**
 * Handles one request on one connection, as an undici handler. The response body goes to a `BodySink`: client.ts
 * collects the start of the body, and fetch.ts streams it.
 */

export type ResponseHeaders = Record<string, string | string[]>;

/** Maximum number of informational responses (1xx) before the final response. RFC 9110 (15.2) allows any number. */
const MAX_INFORMATIONAL = 16;
/**
 * Maximum number of bytes in a response that are not part of its body. The parser limits header fields, but not the
 * reason phrase, spaces before a value, chunk extensions or extra line breaks. A receiver that sends these forever
 * would keep the process busy.
 */
const MAX_OVERHEAD_BYTES = 64 * 1024;

/** State of a connection, shared with the exchanges that use it. */
export type Connection = {
  socket: Socket | undefined;
  /** Exchange that is using the connection, or the last one that used it. */
  exchange: Exchange | undefined;
  /** Number of requests written to the current socket. */
  requests: number;
  /** Cancels opening the socket; set only while the socket is being opened. */
  giveUp: (() => void) | undefined;
};

/** Receives a body. `end` is called once, when the body has ended, with an error if the body was interrupted. */
export type BodySink = { push: (chunk: Buffer) => void; end: (error?: unknown) => void };
/** Flow control for a body. `cut` drops the rest of the body and destroys the socket. */
export type Flow = { cut: () => void; pause: () => void; resume: () => void };

type ExchangeDeps = {
  /**
   * Maximum size of the body in bytes. The sink that `onResponse` returns cuts off the body at this size. As a
   * safeguard, the socket is destroyed once it has read more than the sum of this size and `MAX_OVERHEAD_BYTES`.
   */
  maxResponseBytes: number;
  /** Called with the final headers. Informational responses (1xx) are skipped. */
  onResponse: (statusCode: number, headers: ResponseHeaders, flow: Flow) => BodySink;
  onFailure: (error: unknown) => void;
};

/** Handler for one request. It is a class, so that the pool can recognize our handlers with `instanceof`. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #deps: ExchangeDeps;
  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodySink | undefined;
  #isCancelled = false;
  #isReused = false;
  #hasFirstByte = false;
  #informational = 0;
  #bytesBefore = 0;
  #isHeld = false;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get wasSent(): boolean {
    return this.#controller !== undefined;
  }

  /** Returns true if a reused socket closed before any byte of a response arrived. The request can then be repeated. */
  diedUnanswered(error: unknown): boolean {
    return this.#isReused && !this.#hasFirstByte && isDroppedConnection(error);
  }

  /** Ends the request in any state: queued, connecting or waiting for headers. Destroys its socket, if it has one. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#controller !== undefined) this.#controller.abort(cancelled());
    else this.#connection?.giveUp?.();
  }

  attach(connection: Connection): void {
    this.#connection = connection;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // An error thrown here fails only this request. The idle socket that the request would have used stays open.
    if (this.#isCancelled) throw cancelled();
    this.#controller = controller;
    if (this.#connection === undefined) return;
    this.#isReused = this.#connection.requests > 0;
    this.#connection.requests += 1;
    this.#connection.exchange = this;
    this.#bytesBefore = this.#connection.socket?.bytesRead ?? 0;
  }

  /**
   * Destroys the socket if more bytes were read from it than the request allows. Bytes after the end of the response
   * count too. Must be called after undici has parsed the bytes.
   */
  hasRead(socket: Socket): void {
    const bytes = socket.bytesRead - this.#bytesBefore;
    const isAnswered = this.#body !== undefined;
    if (bytes <= MAX_OVERHEAD_BYTES + (isAnswered ? this.#deps.maxResponseBytes : 0)) return;
    this.#controller?.abort(new EgressFailure('connect', TOO_LONG));
    socket.destroy();
  }

  onResponseStarted(): void {
    this.#hasFirstByte = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (statusCode < 200) {
      this.#informational += 1;
      // An error thrown here ends the request and destroys the socket.
      if (this.#informational > MAX_INFORMATIONAL) throw new EgressFailure('connect', TOO_MANY);
      return;
    }
    this.#body = this.#deps.onResponse(statusCode, definedOnly(headers), {
      cut: () => controller.abort(cancelled()),
      pause: () => this.#hold(),
      resume: () => this.#release(),
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#letRead();
    this.#body?.end();
  }

  /**
   * Makes the socket look empty to undici, so that the kernel stops receiving when the socket's buffer is full. The
   * pause of undici's controller is not used, because it interrupts the parser and later copies the bytes that were
   * not parsed together with the next ones. Twenty slow readers caused 25 MB of such copies a second.
   */
  #hold(): void {
    const socket = this.#connection?.socket;
    if (!socket) return;
    this.#isHeld = true;
    socket.read = () => null;
  }

  #letRead(): Socket | undefined {
    if (!this.#isHeld) return undefined;
    this.#isHeld = false;
    const socket = this.#connection?.socket;
    // Removes the override of `#hold`, so that the socket uses the method of its prototype again.
    if (socket) Reflect.deleteProperty(socket, 'read');
    return socket;
  }

  #release(): void {
    const socket = this.#letRead();
    // Deferred, because the parser must not be called inside one of its own callbacks.
    if (socket) queueMicrotask(() => void (socket.destroyed || socket.emit('readable')));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#body === undefined) this.#deps.onFailure(error);
    else this.#body.end(error);
  }
}

const TOO_MANY = `The server sent more than ${MAX_INFORMATIONAL} informational responses (1xx) before its final response.`;
const TOO_LONG = `The server sent more than ${MAX_OVERHEAD_BYTES / 1024} KiB before the end of its response headers.`;

/**
 * Removes headers whose value is undefined. A parsed response has none, but undici uses the same type for request
 * headers, which may have some.
 */
function definedOnly(headers: Record<string, string | string[] | undefined>): ResponseHeaders {
  const defined: ResponseHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}

function cancelled(): EgressFailure {
  return new EgressFailure('timeout', 'The request was canceled.');
}
