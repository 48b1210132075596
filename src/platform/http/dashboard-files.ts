import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { labelRoute } from './request-log.ts';

/**
 * The dashboard as it was built: static files, without a key (contract §3). They are read once, at the
 * start: no request reaches the disk, so no path can leave the folder, and all that a browser loads is of
 * one build even while another is made. Beside a file stand its compressed forms (`.br`, `.gz`).
 */

type Encoding = 'br' | 'gzip';
type File = { type: string; body: Buffer; encoded: Partial<Record<Encoding, Buffer>> };
/** By path: `/assets/index-Bq1x.js`; the page at `/`. */
export type Dashboard = ReadonlyMap<string, File>;

/** In a checkout `dist/dashboard`; in a package `dashboard` beside `main.js`. */
export const DASHBOARD_FOLDER = path.resolve(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../../../dist/dashboard' : '../../dashboard',
);

const PAGE = '/';
const INDEX = '/index.html';
/** Best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A folder that is not there is a page that says so: the rest of the API is none the worse. */
export function readDashboard(folder: string): Dashboard {
  const files = new Map<string, File>();
  const names = existsSync(folder) ? namesIn(folder) : [];
  for (const name of names.filter((one) => !/\.(br|gz)$/.test(one))) {
    const encoded = ENCODINGS.flatMap(([encoding, end]) =>
      names.includes(name + end) ? [[encoding, readFileSync(path.join(folder, name + end))]] : [],
    );
    files.set(`/${name}`, {
      type: path.extname(name),
      body: readFileSync(path.join(folder, name)),
      encoded: Object.fromEntries(encoded),
    });
  }
  files.set(PAGE, files.get(INDEX) ?? { type: '.html', body: NOT_BUILT, encoded: {} });
  files.delete(INDEX);
  return files;
}

/** Relative and with `/`; hidden files are nobody's to read. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .map((name) => name.replaceAll(path.sep, '/'));
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
      if (isRead(request)) send(request, response.set(headersOf(found)), files.get(found)!);
      else refuseOthers(request, response, next);
    });
  };
}

/** What is never the dashboard's, whoever asks; a missing asset is no page either. */
const NOT_PAGES = /^\/(v1|docs|assets|metrics|healthz|readyz)(\/|$)/;

function isNavigation(request: Request): boolean {
  const asksForPage = /\btext\/html\b/.test(request.headers.accept ?? '');
  return isRead(request) && asksForPage && !NOT_PAGES.test(request.path);
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

function headersOf(found: string): Record<string, string> {
  if (found === PAGE) return { ...PAGE_HEADERS, 'Cache-Control': 'no-store' };
  const isHashed = found.startsWith('/assets/');
  return { 'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache' };
}

function send(request: Request, response: Response, { type, body, encoded }: File): void {
  const encoding = ENCODINGS.map(([name]) => name).find(
    (name) => encoded[name] && request.acceptsEncodings(name) === name,
  );
  if (Object.keys(encoded).length > 0) response.vary('Accept-Encoding');
  if (encoding) response.set('Content-Encoding', encoding);
  response.type(type).send((encoding && encoded[encoding]) ?? body);
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
  'Permissions-Policy': ['camera', 'geolocation', 'microphone', 'payment', 'usb']
    .map((feature) => `${feature}=()`)
    .join(', '),
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
