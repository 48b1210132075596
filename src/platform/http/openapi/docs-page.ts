import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Express, RequestHandler } from 'express';
import { labelRoute } from '../request-log.ts';

/**
 * `/docs`: the API to read and to try, without a key (contract §3). Swagger UI from our own
 * package: a cluster need not reach the internet, and no third party learns who reads.
 */

/** Their paths carry the version, so that a browser keeps them and an upgrade brings new ones. */
const VENDOR_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;
const KEEP_MS = 365 * 86_400_000;

const require = createRequire(import.meta.url);

/**
 * Its style sheet has icons as data URLs: the one thing more than the other pages may have. What it
 * fetches can only be ours, so trying an operation cannot send a key elsewhere.
 */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join(';');

export function serveDocs(app: Express, refuseOthers: RequestHandler): void {
  const home = dirname(require.resolve('swagger-ui-dist/package.json'));
  const version = vendorVersion();
  const serve = (path: string, answer: RequestHandler): void => {
    app.route(path).all(labelRoute(path)).get(answer).all(refuseOthers);
  };
  serve('/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', 'no-cache');
    response.type('html').send(docsPage(version));
  });
  serve('/docs/start.js', (_request, response) => {
    response.setHeader('Cache-Control', 'no-cache');
    response.type('js').send(START_SCRIPT);
  });
  for (const file of VENDOR_FILES) {
    serve(`/docs/${version}/${file}`, (_request, response, next) => {
      const options = { root: home, maxAge: KEEP_MS, immutable: true, etag: false };
      response.sendFile(file, options, (error) => {
        if (error !== undefined) next(error);
      });
    });
  }
}

/** Loaded rather than imported: what it is, is decided by what is installed. */
function vendorVersion(): string {
  const read: unknown = require('swagger-ui-dist/package.json');
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
