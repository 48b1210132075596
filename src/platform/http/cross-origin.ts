import cors, { type CorsOptions } from 'cors';
import type { RequestHandler } from 'express';

/**
 * Lets web pages of other origins call the API (contract/web.md#cors). Responds to the browser's preflight requests.
 * Every response, including errors and streams, names the origin that may read it. Pages send their key in a header and
 * never as a cookie, so credentialed requests are not allowed.
 * @param origins such as `https://app.example.com`; `['*']` allows any origin; with an empty list, no CORS headers are
 * sent
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
    // The `cors` library treats every OPTIONS request as a preflight. A plain OPTIONS request must get 405, as on every
    // other path.
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    if (request.method !== 'OPTIONS' || isPreflight) share(request, response, next);
    else next();
  };
}

/**
 * Lets pages of all origins call a route that needs no key and checks the `Origin` itself. The CORS headers are sent
 * even to a page that the route rejects, so that the page can read the reason.
 */
export function shareWithAll(): RequestHandler {
  return sharing({ origin: true, methods: ['POST'], allowedHeaders: ['Content-Type'] });
}

/**
 * Headers that a page may send in addition to the CORS-safelisted ones. They are listed one by one because `*` does not
 * cover `Authorization`.
 */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'Last-Event-ID',
  'Traceparent',
  // OpenAI's client sends these with every request and gives the page no way to omit them.
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

/** All response headers that a page may read, except those that CORS always exposes (such as `Content-Type`). */
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

/** Two hours, the maximum time for which Chrome caches a preflight response. */
const PREFLIGHT_KEPT_SEC = 7_200;
