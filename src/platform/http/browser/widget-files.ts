import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { labelRoute } from '../request-log.ts';
import { builtFolder, isRead, readFiles, sendFile, type File } from './built-files.ts';

/**
 * The widget as it was built: `/widget.js`, which pages of others embed, and what it loads later below
 * `/widget/`. Anybody's page may read them, without a key: they hold nothing of anybody.
 */

/** By path: `/widget.js`, `/widget/sound-Bq1x.js`. */
export type Widget = ReadonlyMap<string, File & { etag: string }>;

export const WIDGET_FOLDER = builtFolder('widget');

const ENTRY = '/widget.js';

export function readWidget(folder: string): Widget {
  const files = [...readFiles(folder)].map(([name, file]) => {
    const at = `/${name}` === ENTRY ? ENTRY : `/widget/${name}`;
    const hash = createHash('sha256').update(file.body).digest('base64url').slice(0, 16);
    // Weak: compressed or not it is the same program.
    return [at, { ...file, etag: `W/"${hash}"` }] as const;
  });
  return new Map(files);
}

/** Before the dashboard, and whether there is one or not. */
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
  // Express answers 304 to who has it.
  response.set('ETag', file.etag);
  sendFile(request, response, file);
}

/** A page that was open when a new one was built asks again after five minutes. */
const ENTRY_KEPT = 'public, max-age=300';

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  // Else a page that isolates itself (COEP) could not load it.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
