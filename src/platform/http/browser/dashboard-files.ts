import type { Request, RequestHandler } from 'express';
import { labelRoute } from '../request-log.ts';
import { builtFolder, isRead, readFiles, sendFile, type File } from './built-files.ts';

/** The dashboard as it was built: static files, without a key (contract/web.md#dashboard). */

/** By path: `/assets/index-Bq1x.js`; the page at `/`. */
export type Dashboard = ReadonlyMap<string, File>;

export const DASHBOARD_FOLDER = builtFolder('dashboard');

const PAGE = '/';
const INDEX = '/index.html';
/** A folder that is not there is a page that says so: the rest of the API is none the worse. */
export function readDashboard(folder: string): Dashboard {
  const built = [...readFiles(folder)].map(([name, file]) => [`/${name}`, file] as const);
  const files = new Map(built);
  files.set(PAGE, files.get(INDEX) ?? { type: '.html', body: NOT_BUILT, encoded: {} });
  files.delete(INDEX);
  return files;
}

/**
 * After all other routes: its files, and the page for every address that a person opens in it, since the
 * page itself knows what is there. A program, which does not ask for a page, is told 404.
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

/** What is never the dashboard's, whoever asks; a missing asset is no page either. */
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

/** From this server and nowhere else, as files alone, and in nobody's frame. */
const PAGE_POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((kind) => `${kind}-src 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  // No text becomes markup or script, whatever a library does with it.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';');

/** Beside what every answer has (app.ts): nosniff, no referrer, an opener of the same origin only. */
const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_POLICY,
  'X-Frame-Options': 'DENY',
  // People talk with agents in the playground.
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
<p>The dashboard was not built here. In a checkout with all its packages (<code>npm ci</code>)
<code>npm start</code> builds it; start this process again then.</p>
<p><a href="/docs">The API</a> is served all the same.</p>
</body>
</html>
`);
