import type { Request, RequestHandler } from 'express';
import { labelRoute } from '../request-log.ts';
import { builtFolder, isRead, readFiles, sendFile, type File } from './built-files.ts';

/** Serves the built dashboard as static files, for which no API key is needed (contract/web.md#dashboard). */

/** Files by path, such as `/assets/index-Bq1x.js`. The page itself is at `/`. */
export type Dashboard = ReadonlyMap<string, File>;

export const DASHBOARD_FOLDER = builtFolder('dashboard');

const PAGE = '/';
const INDEX = '/index.html';
/** Reads the dashboard's files. If they are missing, the page says so, and the API works as usual. */
export function readDashboard(folder: string): Dashboard {
  const built = [...readFiles(folder)].map(([name, file]) => [`/${name}`, file] as const);
  const files = new Map(built);
  files.set(PAGE, files.get(INDEX) ?? { type: '.html', body: NOT_BUILT, encoded: {} });
  files.delete(INDEX);
  return files;
}

/**
 * Serves the dashboard's files. It must come after all other routes: browsers get the page for every unknown path,
 * because the page does its own routing. A client that does not accept HTML gets 404.
 */
export function serveDashboard(files: Dashboard, refuseOthers: RequestHandler): RequestHandler {
  const label = labelRoute('dashboard');
  return (request, response, next) => {
    const found = files.has(request.path) ? request.path : isNavigation(request) ? PAGE : undefined;
    if (found === undefined) return next();
    label(request, response, () => {
      if (isRead(request)) sendFile(request, response.set(headersOf(found)), files.get(found)!);
      else refuseOthers(request, response, next);
    });
  };
}

/** Paths for which the page is never served, so that a missing asset gets 404. */
const NOT_PAGES = /^\/(v1|docs|assets|widget|widget\.js|metrics|healthz|readyz)(\/|$)/;

function isNavigation(request: Request): boolean {
  const asksForPage = /\btext\/html\b/.test(request.headers.accept ?? '');
  return isRead(request) && asksForPage && !NOT_PAGES.test(request.path);
}

function headersOf(found: string): Record<string, string> {
  if (found === PAGE) return { ...PAGE_HEADERS, 'Cache-Control': 'no-store' };
  const isHashed = found.startsWith('/assets/');
  return { 'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache' };
}

/** Content security policy that allows only files from this server, and no embedding in frames. */
const PAGE_POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((kind) => `${kind}-src 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  // Prevents libraries from inserting strings as markup or scripts.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';');

/**
 * Headers of the dashboard's page, in addition to those that app.ts sets for every response: `nosniff`, no referrer,
 * and a same-origin opener policy.
 */
const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_POLICY,
  'X-Frame-Options': 'DENY',
  // The playground needs the microphone.
  'Permissions-Policy': [
    'microphone=(self)',
    ...['camera', 'geolocation', 'payment', 'usb'].map((feature) => `${feature}=()`),
  ].join(', '),
};

const NOT_BUILT = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Parley</title>
</head>
<body>
<h1>Parley</h1>
<p>The dashboard is not built. Install the packages (<code>npm ci</code>), then start Parley with
<code>npm start</code>, which builds it.</p>
<p><a href="/docs">The API</a> is available anyway.</p>
</body>
</html>
`);
