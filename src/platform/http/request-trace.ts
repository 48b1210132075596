import type { RequestHandler } from 'express';
import { isHealthPath } from '../observability/health.ts';
import {
  contextOf,
  inContext,
  isTracing,
  SpanKind,
  startSpan,
} from '../observability/trace-context.ts';
import { methodOf, pathOf, routeOf } from './request-log.ts';

/**
 * Continues the trace of the request's `traceparent` header (contract/requests.md#traces). If an exporter is
 * configured, the request gets a span named by method and route template. The span contains no headers, path, query or
 * body.
 */
export const traceRequests: RequestHandler = (request, response, next) => {
  const { traceparent } = request.headers;
  if (!isTracing() && traceparent === undefined) return next();
  if (isHealthPath(pathOf(request.originalUrl))) return next();
  const method = methodOf(request.method);
  const { context, span } = startSpan({
    name: method,
    kind: SpanKind.SERVER,
    parent: contextOf(traceparent),
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'parley.request.id': String(response.getHeader('request-id')),
    },
  });
  response.on('close', () => {
    const route = routeOf(response);
    const { statusCode } = response;
    span.rename(`${method} ${route}`);
    span.set({ 'http.route': route, 'http.response.status_code': statusCode });
    if (statusCode >= 500) span.fail(String(statusCode));
    span.end();
  });
  inContext(context, next);
};
