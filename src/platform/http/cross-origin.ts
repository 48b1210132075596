import cors, { type CorsOptions } from 'cors';
import type { RequestHandler } from 'express';

/**
 * Lets web pages of other origins call the API (contract/web.md#cors). Answers the browser's preflight, and lists in
 * every answer, including refusals and streams, which origins may read it. Pages send a key themselves and never
 * through the browser's cookies, so credentials are not allowed.
 * @param origins such as `https://app.example.com`; `['*']` allows any origin; an empty list sends no CORS headers
 */
export function shareWithOrigins(origins: readonly string[]): RequestHandler {
  if (origins.length === 0) return (_request, _response, next) => next();
  return sharing({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
  });
}

function sharing(options: CorsOptions): RequestHandler {
  const share = cors({ ...options, exposedHeaders: ANSWER_HEADERS, maxAge: PREFLIGHT_KEPT_SEC });
  return (request, response, next) => {
    // The library treats every OPTIONS request as a preflight. A plain OPTIONS gets 405, as everywhere else.
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    if (request.method !== 'OPTIONS' || isPreflight) share(request, response, next);
    else next();
  };
}

/** Shares a route that needs no key and checks the `Origin` itself. A refused page may read the reason. */
export function shareWithAll(): RequestHandler {
  return sharing({ origin: true, methods: ['POST'], allowedHeaders: ['Content-Type'] });
}

/**
 * Headers that a page may send beside the CORS-safelisted ones. They are listed because `*` does not cover
 * Authorization.
 */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'Last-Event-ID',
  'Traceparent',
  // OpenAI's client sends these with every request, and a page cannot leave them out.
  'X-Stainless-Arch',
  'X-Stainless-Helper-Method',
  'X-Stainless-Lang',
  'X-Stainless-OS',
  'X-Stainless-Package-Version',
  'X-Stainless-Retry-Count',
  'X-Stainless-Runtime',
  'X-Stainless-Runtime-Version',
  'X-Stainless-Timeout',
];

/** Headers that a page may read beside Cache-Control, Content-Length and Content-Type: all that we send. */
const ANSWER_HEADERS = [
  'Allow',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'Parley-Conversation-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Request-Id',
  'Retry-After',
  'WWW-Authenticate',
];

/** Two hours, the longest that Chrome keeps a preflight. */
const PREFLIGHT_KEPT_SEC = 7_200;
