import type { Dispatcher } from 'undici';
import { EgressFailure, isDroppedConnection } from './failure.ts';

/**
 * One request on one connection, as undici's handler sees it.
 *
 * The response counts from its headers; the body is a courtesy that is read for a short while and
 * up to a size, then cut together with the socket.
 */

export type ResponseHeaders = Record<string, string | string[]>;

/** What a request learns of the connection that carries it. */
export type Connection = {
  /** Requests written to the present socket so far. */
  requests: number;
  /** Set while the socket is being made. */
  giveUp: (() => void) | undefined;
};

type ExchangeDeps = {
  maxResponseBytes: number;
  bodyGraceMs: number;
  /** Final headers (1xx are skipped). `body` never rejects. */
  onResponse: (statusCode: number, headers: ResponseHeaders, body: Promise<Buffer>) => void;
  onFailure: (error: unknown) => void;
};

/** A class, because the pool recognises its own handlers by it. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #deps: ExchangeDeps;
  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodyCollector | undefined;
  #isCancelled = false;
  #isReused = false;
  #hasFirstByte = false;

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
  }

  onResponseStarted(): void {
    this.#hasFirstByte = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (statusCode < 200) return;
    this.#body = collectBody(this.#deps, () => controller.abort(cancelled()));
    this.#deps.onResponse(statusCode, definedOnly(headers), this.#body.whole);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#body === undefined) this.#deps.onFailure(error);
    else this.#body.end();
  }
}

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

type BodyCollector = { whole: Promise<Buffer>; push: (chunk: Buffer) => void; end: () => void };

function collectBody(
  limits: { maxResponseBytes: number; bodyGraceMs: number },
  cut: () => void,
): BodyCollector {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const { promise: whole, resolve } = Promise.withResolvers<Buffer>();
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(grace);
    resolve(Buffer.concat(chunks).subarray(0, limits.maxResponseBytes));
  };
  const endAndCut = (): void => {
    end();
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
  return { whole, push, end };
}
