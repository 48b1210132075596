import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, Request, RequestHandler } from 'express';
import type { ApiError } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { asApiError, logError } from './answer.ts';
import { createBodyReader, discardBody } from './bodies/read-body.ts';
import { labelRoute } from './request-log.ts';

/**
 * Serves the API reference at `/docs`, with a form for trying each operation (contract/web.md#openapi). It needs no API
 * key. Swagger UI comes from an installed package, so a cluster needs no internet access, and no third party learns who
 * reads the reference. The package is Fastify's copy, because Swagger's own packages have an install script that sends
 * usage reports.
 */
export function serveDocs(app: Express, refuseOthers: RequestHandler): void {
  const serve = (path: string, answer: RequestHandler): void => {
    app.route(path).all(labelRoute(path)).get(answer).all(refuseOthers);
  };
  const serveText = (path: string, type: string, text: string, headers = {}): void =>
    serve(path, (_request, response) => {
      response.set(headers).type(type).send(text);
    });
  const vendor = vendorVersion();
  const uncached = { 'Cache-Control': 'no-cache' };
  // Serves both paths, because some people type the trailing slash. The page works at both, because it loads its files
  // by absolute path.
  for (const path of ['/docs', '/docs/']) {
    serveText(path, 'html', docsPage(vendor), {
      ...uncached,
      'Content-Security-Policy': DOCS_POLICY,
    });
  }
  serveText('/docs/start.js', 'js', START_SCRIPT, uncached);
  const root = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
  for (const file of VENDOR_FILES) {
    serve(`/docs/${vendor}/${file}`, (_request, response, next) => {
      const options = { root, maxAge: KEEP_MS, immutable: true, etag: false };
      response.sendFile(file, options, (error) => {
        if (error !== undefined) next(error);
      });
    });
  }
}

/** Files whose URLs contain Swagger UI's version. Browsers may therefore cache them: an upgrade changes the URLs. */
const VENDOR_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;
const KEEP_MS = 365 * 86_400_000;

const require = createRequire(import.meta.url);

/**
 * Content security policy of `/docs`. Swagger's style sheet contains icons as data URLs, which the dashboard's policy
 * would forbid. Scripts may connect only to our own origin, so the form cannot send a key elsewhere.
 */
const DOCS_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join(';');

/** Returns the version of the installed package that provides the files. */
function vendorVersion(): string {
  const read: unknown = require('@fastify/swagger-ui/package.json');
  const hasVersion = typeof read === 'object' && read !== null && 'version' in read;
  return hasVersion ? String(read.version) : 'unknown';
}

function docsPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/${version}/swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript; <a href="/v1/openapi.json">/v1/openapi.json</a> does not.</noscript>
<div id="docs"></div>
<script src="/docs/${version}/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}

/**
 * Script that starts Swagger UI. `validatorUrl` is null, because Swagger UI would otherwise send the document to a
 * public service. `persistAuthorization` is false, so that the browser does not store keys.
 */
const START_SCRIPT = `'use strict';
SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/**
 * A page with a form for people who have a link but no API key. It works without scripts. The token in the link is in
 * the query, and queries are never logged.
 */
export type Page = {
  path: string;
  /** The page's `Content-Security-Policy`. */
  policy: string;
  show: (request: PageRequest) => Promise<PageAnswer>;
  /** Handles a submitted form. */
  take: (request: PageRequest, form: URLSearchParams) => Promise<PageAnswer>;
  /** Returns the page to show after an error. */
  explain: (error: ApiError, request: PageRequest) => PageAnswer;
};

export type PageRequest = {
  query: URLSearchParams;
  /** Returns the language that the browser prefers, or the first language if the browser prefers none of them. */
  prefer: <T extends string>(languages: readonly [T, ...T[]]) => T;
  /** Remote address of the connection, which may belong to a proxy. */
  address: string;
};

/** `location` makes the response a redirect (303). */
export type PageAnswer = { status: number; html: string } | { location: string };

const FORM_BYTES_MAX = 4 * 1024;

/** Serves a page. Proxies must not store it, and search engines must not index it. */
export function servePage(
  app: Express,
  page: Page,
  { log, refuse }: { log: Logger; refuse: RequestHandler },
): void {
  const answer = (
    run: (request: PageRequest, raw: Request) => Promise<PageAnswer>,
  ): RequestHandler => {
    return async (request, response) => {
      const asked = pageRequestOf(request);
      const done = await run(asked, request).catch((error: unknown) => {
        const shown = asApiError(error);
        logError(log, { shown, error, requestId: String(response.getHeader('request-id')) });
        if (shown.retryAfterSec) response.setHeader('Retry-After', String(shown.retryAfterSec));
        return page.explain(shown, asked);
      });
      discardBody(response);
      response.set({
        'Cache-Control': 'no-store',
        'Content-Security-Policy': page.policy,
        'Referrer-Policy': 'no-referrer',
        'X-Frame-Options': 'DENY',
        'X-Robots-Tag': 'noindex',
      });
      if ('location' in done) response.redirect(303, done.location);
      else response.status(done.status).vary('Accept-Language').type('html').send(done.html);
    };
  };
  const take = async (asked: PageRequest, request: Request): Promise<PageAnswer> => {
    const accepted = { mediaTypes: [FORM_TYPE], bytesMax: FORM_BYTES_MAX };
    const { bytes } = await createBodyReader(request).raw(accepted);
    return page.take(asked, new URLSearchParams(bytes.toString('utf8')));
  };
  app
    .route(page.path)
    .all(labelRoute(page.path))
    .get(answer(page.show))
    .post(answer(take))
    .all(refuse);
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

function pageRequestOf(request: Request): PageRequest {
  const { url, socket } = request;
  const at = url.indexOf('?');
  return {
    query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)),
    prefer: (languages) =>
      languages.find((one) => one === request.acceptsLanguages([...languages])) ?? languages[0],
    address: socket.remoteAddress ?? '',
  };
}
