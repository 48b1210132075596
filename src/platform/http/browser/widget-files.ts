import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { labelRoute } from '../request-log.ts';
import { builtFolder, isRead, readFiles, sendFile, type File } from './built-files.ts';

/**
 * Serves the built widget: `/widget.js`, which other sites embed, and the files below `/widget/` that it loads later.
 * Every origin may read them without a key, because they contain no data from any namespace.
 */

/** Files by path, such as `/widget.js` and `/widget/sound-Bq1x.js`. */
export type Widget = ReadonlyMap<string, File & { etag: string }>;

export const WIDGET_FOLDER = builtFolder('widget');

const ENTRY = '/widget.js';

export function readWidget(folder: string): Widget {
  const files = [...readFiles(folder)].map(([name, file]) => {
    const at = `/${name}` === ENTRY ? ENTRY : `/widget/${name}`;
    const hash = createHash('sha256').update(file.body).digest('base64url').slice(0, 16);
    // The ETag is weak, because the compressed forms of the file have the same ETag.
    return [at, { ...file, etag: `W/"${hash}"` }] as const;
  });
  return new Map(files);
}

/** Serves the widget's files. Must be mounted before `serveDashboard`, which handles all remaining paths. */
export function serveWidget(files: Widget, refuseOthers: RequestHandler): RequestHandler {
  const label = labelRoute('widget');
  return (request, response, next) => {
    const file = files.get(request.path);
    if (file === undefined) return next();
    label(request, response, () => {
      response.set(HEADERS);
      if (isRead(request)) send(request, response, file);
      else refuseOthers(request, response, next);
    });
  };
}

function send(request: Request, response: Response, file: File & { etag: string }): void {
  const isEntry = request.path === ENTRY;
  response.set('Cache-Control', isEntry ? ENTRY_KEPT : 'public, max-age=31536000, immutable');
  // Express compares this header with `If-None-Match`, and responds with 304 if the client already has the file.
  response.set('ETag', file.etag);
  sendFile(request, response, file);
}

/**
 * `Cache-Control` of the script that sites embed. After an upgrade, browsers use the old cached script for at most five
 * minutes.
 */
const ENTRY_KEPT = 'public, max-age=300';

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  // Without this header, a page with a cross-origin embedder policy (COEP) could not load the widget.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
