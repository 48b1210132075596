import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { EgressFailure, isDroppedConnection } from './failure.ts';

/**
 * One request on one connection, as undici's handler sees it.
 *
 * The response counts from its headers; the body is a courtesy that is read for a short while and
 * up to a size, then cut together with the socket.
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

type ExchangeDeps = {
  maxResponseBytes: number;
  bodyGraceMs: number;
  /** Final headers (1xx are skipped). */
  onResponse: (statusCode: number, headers: ResponseHeaders, body: ResponseBody) => void;
  onFailure: (error: unknown) => void;
};

/** Neither rejects; `isWhole`: nothing of it was cut, and it did not break off. */
type ResponseBody = { whole: Promise<Buffer>; isWhole: Promise<boolean> };

/** A class, because the pool recognises its own handlers by it. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #deps: ExchangeDeps;
  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodyCollector | undefined;
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
    this.#body = collectBody(this.#deps, () => controller.abort(cancelled()));
    this.#deps.onResponse(statusCode, definedOnly(headers), this.#body);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#body?.end(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#body === undefined) this.#deps.onFailure(error);
    else this.#body.end(false);
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

type BodyCollector = ResponseBody & {
  push: (chunk: Buffer) => void;
  end: (isWhole: boolean) => void;
};

function collectBody(
  limits: { maxResponseBytes: number; bodyGraceMs: number },
  cut: () => void,
): BodyCollector {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const { promise: whole, resolve } = Promise.withResolvers<Buffer>();
  const { promise: isWhole, resolve: tellWhole } = Promise.withResolvers<boolean>();
  const end = (isAll: boolean): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(grace);
    tellWhole(isAll);
    resolve(Buffer.concat(chunks).subarray(0, limits.maxResponseBytes));
    chunks.length = 0; // The connection keeps its last exchange.
  };
  const endAndCut = (): void => {
    end(false);
    cut();
  };
  const grace = setTimeout(endAndCut, limits.bodyGraceMs);
  const push = (chunk: Buffer): void => {
    if (isOver) return;
    chunks.push(chunk);
    bytes += chunk.length;
    // After the parser's turn: it does not expect its socket to vanish inside a callback.
    if (bytes > limits.maxResponseBytes) queueMicrotask(endAndCut);
  };
  return { whole, isWhole, push, end };
}
