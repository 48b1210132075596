import type { Request, RequestHandler, Response } from 'express';
import { monotonicMs } from '../../clock.ts';
import { newId } from '../../ids.ts';
import { isHealthPath } from '../observability/health.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { asWork, describeWork } from '../observability/work.ts';

/**
 * What is known of every request: its id, a sample in the histogram, a line in the log. Never its
 * headers, query or body: they hold keys, secrets and customers' words.
 */

const PATH_LENGTH_MAX = 200;

/** Gives the request its id, which every answer carries; until its route is known it is work for nobody in particular. */
export const identifyRequest: RequestHandler = (_request, response, next) => {
  response.setHeader('Request-Id', newId('req'));
  asWork({ name: 'request' }, next);
};

type Watching = { metrics: Pick<Metrics, 'httpRequestDuration'>; log: Logger };

/** One listener for both: a request in a hot path pays for each. */
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
 * Successes only with PARLEY_LOG_LEVEL=debug: the metrics count them, and a line for each costs a
 * tenth of what the request itself does. Probes and scrapes not at all. What went wrong inside is
 * logged where it is known; here only that something did.
 */
function logAnswer(log: Logger, { request, response, durationMs }: Answered): void {
  const { method, originalUrl } = request;
  const { statusCode: status } = response;
  const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
  if (!log.isLevelEnabled(level) || isHealthPath(pathOf(originalUrl))) return;
  const path = pathOf(originalUrl).slice(0, PATH_LENGTH_MAX);
  const requestId = String(response.getHeader('request-id'));
  log[level]({ requestId, method, path, status, durationMs }, `${method} ${status}`);
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'];

/** `http_server_request_duration_seconds`, by route template; no route: `none` (contract/metrics.md#platform). */
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

/** OpenTelemetry's word for an unknown method: callers must not make labels. */
export function methodOf(method: string): string {
  return METHODS.includes(method) ? method : '_OTHER';
}

type Labelled = { locals: Record<string, unknown> };

/** Notes which route answers, for the metrics and the watchdog. */
export function labelRoute(path: string): RequestHandler {
  return ({ method }, response, next) => {
    response.locals['route'] = path;
    describeWork({ name: `${methodOf(method)} ${path}` });
    next();
  };
}

/** The template; `none`: no route of ours. */
export function routeOf({ locals }: Labelled): string {
  return typeof locals['route'] === 'string' ? locals['route'] : 'none';
}

export function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}
