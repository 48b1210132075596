import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, RequestHandler } from 'express';
import { labelRoute } from './request-log.ts';

/**
 * What a browser is shown, without a key: `/`, which says where to go on and nothing that a
 * stranger may not know, and `/docs`, the API to read and to try (contract §3). Swagger UI comes
 * from an installed package: a cluster need not reach the internet, and no third party learns who
 * reads. It is Fastify's copy, since Swagger's own packages bring an install script that reports.
 */
export function servePages(
  app: Express,
  about: { version: string; hasMetrics: boolean },
  refuseOthers: RequestHandler,
): void {
  const serve = (path: string, answer: RequestHandler): void => {
    app.route(path).all(labelRoute(path)).get(answer).all(refuseOthers);
  };
  const serveText = (path: string, type: string, text: string, headers = {}): void =>
    serve(path, (_request, response) => {
      response.set(headers).type(type).send(text);
    });
  const vendor = vendorVersion();
  const uncached = { 'Cache-Control': 'no-cache' };
  serveText('/', 'html', homePage(about));
  serveText('/home.css', 'css', HOME_STYLE);
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
 * Its style sheet has icons as data URLs: the one thing more than the other pages may have. What it
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

function homePage(deps: { version: string; hasMetrics: boolean }): string {
  const metrics = '<li><a href="/metrics">Metrics</a> for Prometheus</li>';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title>
<link rel="stylesheet" href="/home.css">
</head>
<body>
<main>
<h1>Parley <small>${deps.version}</small></h1>
<p>Conversational agents with versions you can roll back, and events you cannot lose.</p>
<ul>
<li><a href="/docs">The API</a>, to read and to try</li>
<li><a href="/v1/openapi.json">Its description</a> in OpenAPI 3.1, for programs</li>
${deps.hasMetrics ? metrics : ''}
</ul>
<h2>First steps</h2>
<p>Your API key was printed when Parley started; README.md has more.</p>
<pre><code>export PARLEY_URL=http://127.0.0.1:8080   # where this page is
export PARLEY_API_KEY=parley_…

# Make an agent
curl -s "$PARLEY_URL/v1/agents" -H "Authorization: Bearer $PARLEY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"display_name": "Support", "prompt": "You help customers of a bicycle shop."}'

# See what happened, and where it was delivered
curl -s "$PARLEY_URL/v1/events" -H "Authorization: Bearer $PARLEY_API_KEY"
</code></pre>
</main>
</body>
</html>
`;
}

const HOME_STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1c2024; background: #fcfcfd; }
main { max-width: 44rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 small { font-weight: normal; color: #60646c; font-size: 1rem; }
a { color: #0d74ce; }
pre { background: #f0f0f3; padding: 1rem; overflow-x: auto; border-radius: 6px; }
@media (prefers-color-scheme: dark) {
  body { color: #edeef0; background: #111113; }
  h1 small { color: #b0b4ba; }
  a { color: #70b8ff; }
  pre { background: #212225; }
}
`;
