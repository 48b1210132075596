import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { EgressFailure, isDroppedConnection } from './failure.ts';

/**
 * One request on one connection, as undici's handler sees it.
 *
 * It ends at the response's headers; client.ts collects the body
 * reads some of it, fetch.ts hands it on as it comes.
 */

export type ResponseHeaders = Record<string, string | string[]>;

/** Informational responses (1xx) before the answer; RFC 9110 (15.2) allows any number. */
const MAX_INFORMATIONAL = 16;
/**
 * Of an answer besides its body. The parser has a limit for header fields, but none for a reason, a
 * space before a value, a chunk's extension or a line end too many: who sends those without end
 * would keep the process from everything else.
 */
const MAX_OVERHEAD_BYTES = 64 * 1024;

/** What a request learns of the connection that carries it. */
export type Connection = {
  socket: Socket | undefined;
  /** The one that uses it, or did last. */
  exchange: Exchange | undefined;
  /** Requests written to the present socket so far. */
  requests: number;
  /** Set while the socket is being made. */
  giveUp: (() => void) | undefined;
};

/** Where a body goes. `end`: it is over; with an error when it broke off. */
export type BodySink = { push: (chunk: Buffer) => void; end: (error?: unknown) => void };
/** What its reader can do to a body. `cut` gives up the rest and destroys the socket. */
export type Flow = { cut: () => void; pause: () => void; resume: () => void };

type ExchangeDeps = {
  /** For the count of everything that is no body; the sink itself counts the body. */
  maxResponseBytes: number;
  /** Final headers (1xx are skipped). */
  onResponse: (statusCode: number, headers: ResponseHeaders, flow: Flow) => BodySink;
  onFailure: (error: unknown) => void;
};

/** A class, because the pool recognises its own handlers by it. */
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

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get wasSent(): boolean {
    return this.#controller !== undefined;
  }

  /** A kept-alive socket that died under the request, with no byte of an answer: safe to repeat. */
  diedUnanswered(error: unknown): boolean {
    return this.#isReused && !this.#hasFirstByte && isDroppedConnection(error);
  }

  /** Ends it wherever it is: queued, connecting, or waiting for headers. Destroys its socket. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#controller !== undefined) this.#controller.abort(cancelled());
    else this.#connection?.giveUp?.();
  }

  attach(connection: Connection): void {
    this.#connection = connection;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // To throw here fails this request and spares the idle socket it was about to use.
    if (this.#isCancelled) throw cancelled();
    this.#controller = controller;
    if (this.#connection === undefined) return;
    this.#isReused = this.#connection.requests > 0;
    this.#connection.requests += 1;
    this.#connection.exchange = this;
    this.#bytesBefore = this.#connection.socket?.bytesRead ?? 0;
  }

  /** Something was read from the socket, and parsed; also after the end, when nobody uses it. */
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
      // To throw here is how a handler ends its request and destroys the socket.
      if (this.#informational > MAX_INFORMATIONAL) throw new EgressFailure('connect', TOO_MANY);
      return;
    }
    this.#body = this.#deps.onResponse(statusCode, definedOnly(headers), {
      cut: () => controller.abort(cancelled()),
      pause: () => controller.pause(),
      resume: () => controller.resume(),
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#body === undefined) this.#deps.onFailure(error);
    else this.#body.end(error);
  }
}

const TOO_MANY = `The receiver sent more than ${MAX_INFORMATIONAL} informational responses (1xx) before its answer.`;
const TOO_LONG = `The receiver sent more than ${MAX_OVERHEAD_BYTES / 1024} KiB before the end of its response headers.`;

/** A parsed response has no undefined values; undici's type is that of a request's headers. */
function definedOnly(headers: Record<string, string | string[] | undefined>): ResponseHeaders {
  const defined: ResponseHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}

function cancelled(): EgressFailure {
  return new EgressFailure('timeout', 'The request was given up.');
}
