import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, RequestHandler } from 'express';
import { labelRoute } from './request-log.ts';

/**
 * `/docs`, without a key: the API to read and to try (contract §3). Swagger UI comes from an installed
 * package: a cluster need not reach the internet, and no third party learns who reads. It is Fastify's
 * copy, since Swagger's own packages bring an install script that reports.
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
  // With a slash too, as people type it: what the page loads has whole paths.
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

/** Their paths carry the version: a browser may keep them, and an upgrade brings new ones. */
const VENDOR_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;
const KEEP_MS = 365 * 86_400_000;

const require = createRequire(import.meta.url);

/**
 * Its style sheet has icons as data URLs: the one thing that the dashboard may not have. What it
 * fetches can only be ours, so trying an operation cannot send a key elsewhere.
 */
const DOCS_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join(';');

/** Loaded, not imported: the installed package decides the version. */
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

/** `validatorUrl` would send the document to a public service; a key is kept nowhere. */
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
