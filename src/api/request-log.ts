import type { RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import { newId } from '../events/ids.ts';
import { isHealthPath } from '../observability/health.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';

/**
 * What is known of every request: its id, a line in the log, a sample in the histogram. Never
 * its headers, query or body: they hold keys, secrets and customers' words.
 */

const PATH_LENGTH_MAX = 200;

/** Gives the request its id and says it in the answer, whatever the answer will be. */
export const identifyRequest: RequestHandler = (_request, response, next) => {
  response.setHeader('Request-Id', newId('req'));
  next();
};

/** Answers in the log: 5xx as errors, the rest as information; probes and scrapes not at all. */
export function logRequests(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    quietReqLogger: true,
    genReqId: (_request, response) => String(response.getHeader('request-id')),
    autoLogging: { ignore: (request) => isHealthPath(pathOf(request.url)) },
    // What went wrong inside is logged where it is known; here only that it did.
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: (request, response) => `${request.method} ${response.statusCode}`,
    customErrorMessage: (request, response) => `${request.method} ${response.statusCode}`,
    serializers: {
      req: (request: { method: string; url: string }) => ({
        method: request.method,
        path: pathOf(request.url).slice(0, PATH_LENGTH_MAX),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
      // pino-http makes an error of every 5xx, which says nothing that the status does not.
      err: () => undefined,
    },
  });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'];

/** `http_server_request_duration_seconds`, by route template; no route: `none` (contract §7). */
export function measureRequests(metrics: Pick<Metrics, 'httpRequestDuration'>): RequestHandler {
  return (request, response, next) => {
    const startedMs = performance.now();
    response.on('close', () => {
      const { answeredAtMs } = response.locals;
      const endedMs = typeof answeredAtMs === 'number' ? answeredAtMs : performance.now();
      const { method } = request;
      metrics.httpRequestDuration.observe(
        {
          // OpenTelemetry's word for a method that is none: labels must not be made by callers.
          http_request_method: METHODS.includes(method) ? method : '_OTHER',
          http_route: routeOf(response),
          http_response_status_code: response.statusCode,
          url_scheme: 'http',
        },
        (endedMs - startedMs) / 1_000,
      );
    });
    next();
  };
}

type Labelled = { locals: Record<string, unknown> };

/** Notes which route answers, for the metrics. */
export function labelRoute(path: string): RequestHandler {
  return (_request, response, next) => {
    response.locals['route'] = path;
    next();
  };
}

function routeOf({ locals }: Labelled): string {
  return typeof locals['route'] === 'string' ? locals['route'] : 'none';
}

function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? '';
}
