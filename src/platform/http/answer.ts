import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { delay } from '../../clock.ts';
import { ApiError, codeOf, reasonOf } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { StoreUnavailableError } from '../resources/resource-store.ts';
import { isUnavailable } from '../postgres/pool.ts';
import { endEvents, isStreaming, sendEvents, type SentEvent } from './sse.ts';
import { openAiErrorOf, openAiHeaders, openAiStatus } from './openai-error.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';
import { discardBody } from './bodies/read-body.ts';
import { createRefusalPace } from './rate-limit.ts';
import { writeOrCut } from './slow-reader.ts';
import type { Answer, ErrorShape } from './route.ts';

/**
 * Sends responses, which are called answers in the code. Of all handlers, only `answerErrors` converts errors to
 * responses.
 */

const RETRY_AFTER_SEC = 2;

export function sendAnswer(response: Response, answer: Answer): void {
  discardBody(response);
  response.statusCode = answer.status;
  setHeaders(response, answer);
  if (answer.bytes !== undefined) {
    response.setHeader('Content-Type', answer.mediaType ?? 'application/json');
    response.setHeader('Content-Length', answer.bytes.length);
    response.end(answer.bytes);
    return;
  }
  if (answer.body === undefined) {
    response.end();
    return;
  }
  // response.json() would add a charset, which problem+json does not define.
  response.setHeader('Content-Type', answer.mediaType ?? 'application/json');
  const text = JSON.stringify(answer.body);
  // Set explicitly, because the response to a HEAD request has no body.
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Sends a route's response: a document, a long text or a stream of server-sent events. */
export async function sendRouteAnswer(
  response: Response,
  answer: Answer,
  stalledMs?: number,
): Promise<void> {
  if (answer.text) {
    await sendText(response, answer, { text: answer.text, stalledMs });
    return;
  }
  if (!answer.stream) {
    sendAnswer(response, answer);
    return;
  }
  discardBody(response);
  setHeaders(response, answer);
  await sendEvents(response, answer.stream, stalledMs);
}

/**
 * Sends a text in parts. If an error occurs before the first part, the client gets an error response. If an error
 * occurs later, the connection is closed.
 */
async function sendText(
  response: Response,
  answer: Answer,
  { text, stalledMs }: { text: AsyncIterable<string>; stalledMs: number | undefined },
): Promise<void> {
  discardBody(response);
  const head = (): void => {
    response.statusCode = answer.status;
    setHeaders(response, answer);
    response.setHeader('Content-Type', answer.mediaType ?? 'text/plain; charset=utf-8');
  };
  if (response.req.method === 'HEAD') head();
  else {
    for await (const part of text) {
      if (!response.headersSent) head();
      if (response.destroyed) return;
      await writeOrCut(response, part, stalledMs);
    }
    if (!response.headersSent) head(); // Even an empty text needs a status and headers.
  }
  response.end();
}

function setHeaders(response: Response, { headers = {} }: Answer): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Creates the Express handler that converts errors to HTTP responses. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  const pace = createRefusalPace();
  return async (error: unknown, request, response, next) => {
    const requestId = String(response.getHeader('request-id'));
    const shown = asApiError(error);
    if (shown !== error) logError(log, { shown, error, requestId });
    const shape = errorShapeOf(response);
    if (isStreaming(response)) {
      endEvents(response, lastEvent(shown, requestId, shape));
      return;
    }
    if (response.headersSent) {
      next(error); // The response has already begun, so Express can only close the connection.
      return;
    }
    if (shown.status === 429) {
      const waitMs = pace(request.socket.remoteAddress ?? '');
      if (waitMs > 0) await delay(waitMs);
    }
    sendAnswer(response, errorAnswer(shown, requestId, shape));
  };
}

/** Sets the error format for all requests below a path, including those to unknown routes. */
export function answerErrorsAs(shape: ErrorShape): RequestHandler {
  return (_request, response, next) => {
    response.locals['errorShape'] = shape;
    // OpenAI's clients read the request id from this header.
    response.setHeader('x-request-id', String(response.getHeader('request-id')));
    next();
  };
}

function errorShapeOf({ locals }: Pick<Response, 'locals'>): ErrorShape {
  return locals['errorShape'] === 'openai' ? 'openai' : 'problem';
}

export function errorAnswer(error: ApiError, requestId: string, shape: ErrorShape): Answer {
  if (shape === 'openai') {
    return {
      status: openAiStatus(error.code),
      body: openAiErrorOf(error),
      headers: { ...headersOf(error), ...openAiHeaders(error) },
    };
  }
  return {
    status: error.status,
    body: problemOf(error, requestId),
    mediaType: PROBLEM_MEDIA_TYPE,
    headers: headersOf(error),
  };
}

/**
 * Builds the last event of a failed stream. In OpenAI's format, the event needs no type, because OpenAI's clients check
 * every event for an `error` member.
 */
function lastEvent(error: ApiError, requestId: string, shape: ErrorShape): SentEvent {
  if (shape === 'openai') return { data: openAiErrorOf(error) };
  return { event: 'error', data: problemOf(error, requestId) };
}

function headersOf({ code, retryAfterSec }: ApiError): Record<string, string> {
  return {
    ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
    ...(retryAfterSec !== undefined && { 'Retry-After': String(retryAfterSec) }),
  };
}

/**
 * Converts any error to an `ApiError` that is safe to show to the caller. The details of an internal error are not
 * shown.
 */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // This check comes before `isDatabaseAway`. The cause of a Kubernetes error may be a connection error, which
  // `isDatabaseAway` would match too.
  if (isStoreAway(error)) {
    return unavailable('The Kubernetes API is not responding. Retry in a few seconds.', error);
  }
  if (isDatabaseAway(error)) {
    return unavailable(`${databaseTrouble(error)} Retry in a few seconds.`, error);
  }
  // Express throws this if a part of the path cannot be decoded.
  if (error instanceof URIError) {
    return new ApiError('malformed_request', 'The path has an invalid percent-encoding.', {
      cause: error,
    });
  }
  const detail =
    'An internal error occurred. The server log contains the cause under this `request_id`.';
  return new ApiError('internal', detail, { cause: error });
}

/**
 * Messages for PostgreSQL's errors of class 53 (insufficient resources). The database responds, but lacks a resource.
 */
const LACKING: Readonly<Record<string, string>> = {
  '53100': 'The database disk is full.',
  '53200': 'The database is out of memory.',
  '53300': 'The database has no free connections.',
};

function databaseTrouble(error: unknown): string {
  const lacking = LACKING[codeOf(error)];
  if (lacking !== undefined) return lacking;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? 'The database is not responding.' : databaseTrouble(cause);
}

function unavailable(detail: string, cause: unknown): ApiError {
  return new ApiError('unavailable', detail, { cause, retryAfterSec: RETRY_AFTER_SEC });
}

function isStoreAway(error: unknown): boolean {
  return hasCause(error, (cause) => cause instanceof StoreUnavailableError);
}

function isDatabaseAway(error: unknown): boolean {
  return hasCause(error, isUnavailable);
}

/** Returns true if `is` returns true for an error or for any error in its chain of causes. */
function hasCause(error: unknown, is: (error: unknown) => boolean): boolean {
  if (is(error)) return true;
  return error instanceof Error && error.cause !== undefined && hasCause(error.cause, is);
}

/** Logs server errors. Omits the stack of an `unavailable` error. Does not log errors caused by the caller. */
export function logError(
  log: Logger,
  { shown, error, requestId }: { shown: ApiError; error: unknown; requestId: string },
): void {
  // Logs only the reason, because PostgreSQL's error details quote rows, which may contain prompts and secrets.
  const reason = reasonOf(error);
  if (shown.status < 500) return;
  if (shown.code === 'unavailable') log.warn({ requestId, reason }, shown.message);
  else log.error({ requestId, reason, stack: stackOf(error) }, 'request failed');
}

function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause) ?? ''}`;
  return `${error.stack ?? ''}${cause}`;
}
