import cors, { type CorsOptions } from 'cors';
import type { RequestHandler } from 'express';

/**
 * Lets web pages of other origins call the API (contract/web.md#cors): answers the browser's preflight, and says
 * on every answer, refusals and streams too, whose pages may read it. A key is sent by the page itself,
 * never by the browser: credentials are not allowed.
 *
 * @param origins such as `https://app.example.com`; `['*']`: any. None: no headers at all
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
    // The library takes any OPTIONS for a preflight; one that is none is 405, as everywhere.
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    if (request.method !== 'OPTIONS' || isPreflight) share(request, response, next);
    else next();
  };
}

/** For what asks no key and decides by the `Origin` itself: whoever is refused may read why. */
export function shareWithAll(): RequestHandler {
  return sharing({ origin: true, methods: ['POST'], allowedHeaders: ['Content-Type'] });
}

/** What a page may send beside what every page may: named, since `*` does not cover Authorization. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'Last-Event-ID',
  'Traceparent',
  // What OpenAI's client says of itself with every request; a page that uses it cannot leave them out.
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

/** What a page may read beside Cache-Control, Content-Length, Content-Type: all that we say. */
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

/** Two hours; Chrome keeps none longer. */
const PREFLIGHT_KEPT_SEC = 7_200;
