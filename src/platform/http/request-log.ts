import type { Request, RequestHandler, Response } from 'express';
import { monotonicMs } from '../../clock.ts';
import { newId } from '../../ids.ts';
import { isHealthPath } from '../observability/health.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { asWork, describeWork } from '../observability/work.ts';

/**
 * Records every request: assigns its id, measures its duration and logs a line. Headers, query and body are never
 * recorded, because they contain keys, secrets and customers' messages.
 */

const PATH_LENGTH_MAX = 200;

/**
 * Sets the request's id, which every response carries. Registers the request as work (work.ts) under a generic name,
 * because the route is not known yet.
 */
export const identifyRequest: RequestHandler = (_request, response, next) => {
  response.setHeader('Request-Id', newId('req'));
  asWork({ name: 'request' }, next);
};

type Watching = { metrics: Pick<Metrics, 'httpRequestDuration'>; log: Logger };

/** Measures and logs requests. Uses one listener for both, because each listener costs time on every request. */
export function watchRequests({ metrics, log }: Watching): RequestHandler {
  return (request, response, next) => {
    const startedMs = monotonicMs();
    response.on('close', () => {
      const { answeredAtMs } = response.locals;
      const endedMs = typeof answeredAtMs === 'number' ? answeredAtMs : monotonicMs();
      measure(metrics, { request, response, durationMs: endedMs - startedMs });
      logAnswer(log, { request, response, durationMs: endedMs - startedMs });
    });
    next();
  };
}

type Answered = { request: Request; response: Response; durationMs: number };

/**
 * Logs a response. Successful responses are logged only with `PARLEY_LOG_LEVEL=debug`: the metrics count them, and
 * writing a log line costs a tenth as much as the request itself. Health probes and metrics scrapes are never logged.
 * For a server error, this function logs only the status; `logError` logs the details.
 */
function logAnswer(log: Logger, { request, response, durationMs }: Answered): void {
  const { method, originalUrl } = request;
  const { statusCode: status } = response;
  const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
  if (!log.isLevelEnabled(level) || isHealthPath(pathOf(originalUrl))) return;
  const path = loggedPath(response, pathOf(originalUrl));
  const requestId = String(response.getHeader('request-id'));
  log[level]({ requestId, method, path, status, durationMs }, `${method} ${status}`);
}

/** Returns the path to log. A path that identifies a person is logged as its route template. */
function loggedPath(response: Response, path: string): string {
  const route = routeOf(response);
  return route.includes('{user_id}') ? route : path.slice(0, PATH_LENGTH_MAX);
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'];

/**
 * Records `http_server_request_duration_seconds` by route template, or as `none` if no route matched
 * (contract/metrics.md#platform).
 */
function measure(metrics: Watching['metrics'], { request, response, durationMs }: Answered): void {
  const { method } = request;
  metrics.httpRequestDuration.observe(
    {
      http_request_method: methodOf(method),
      http_route: routeOf(response),
      http_response_status_code: response.statusCode,
      url_scheme: 'http',
    },
    durationMs / 1_000,
  );
}

/**
 * Returns the method, or `_OTHER` (OpenTelemetry's value) for an unknown one, so that clients cannot create new label
 * values.
 */
export function methodOf(method: string): string {
  return METHODS.includes(method) ? method : '_OTHER';
}

type Labelled = { locals: Record<string, unknown> };

/** Records the matched route for the metrics and the event-loop watchdog. */
export function labelRoute(path: string): RequestHandler {
  return ({ method }, response, next) => {
    response.locals['route'] = path;
    describeWork({ name: `${methodOf(method)} ${path}` });
    next();
  };
}

/** Returns the route template, or `none` if no route matched. */
export function routeOf({ locals }: Labelled): string {
  return typeof locals['route'] === 'string' ? locals['route'] : 'none';
}

export function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}
