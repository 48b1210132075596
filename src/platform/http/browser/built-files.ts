import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Request, Response } from 'express';

/**
 * Build output for browsers, read once at startup. Requests never read from disk, so no path can escape the folder, and
 * a browser always gets files from a single build. Files may have compressed forms (`.br`, `.gz`) beside them.
 */
type Encoding = 'br' | 'gzip';
export type File = { type: string; body: Buffer; encoded: Partial<Record<Encoding, Buffer>> };

/** Encodings in order of preference. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Returns the folder with a build: `dist/NAME` in a checkout, or `NAME` beside `main.js` in an installed package. */
export function builtFolder(name: string): string {
  const isSource = import.meta.filename.endsWith('.ts');
  return path.resolve(import.meta.dirname, isSource ? '../../../../dist' : '../../..', name);
}

/** Returns the files by name, such as `assets/index-Bq1x.js`. Returns an empty map if the folder does not exist. */
export function readFiles(folder: string): Map<string, File> {
  const files = new Map<string, File>();
  const names = existsSync(folder) ? namesIn(folder) : [];
  for (const name of names.filter((one) => !/\.(br|gz)$/.test(one))) {
    const encoded = ENCODINGS.flatMap(([encoding, end]) =>
      names.includes(name + end) ? [[encoding, readFileSync(path.join(folder, name + end))]] : [],
    );
    files.set(name, {
      type: path.extname(name),
      body: readFileSync(path.join(folder, name)),
      encoded: Object.fromEntries(encoded),
    });
  }
  return files;
}

/** Returns the paths of all files relative to the folder, separated by `/`, except hidden files. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .map((name) => name.replaceAll(path.sep, '/'));
}

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

export function sendFile(request: Request, response: Response, file: File): void {
  const { type, body, encoded } = file;
  const encoding = ENCODINGS.map(([name]) => name).find(
    (name) => encoded[name] && request.acceptsEncodings(name) === name,
  );
  if (Object.keys(encoded).length > 0) response.vary('Accept-Encoding');
  if (encoding) response.set('Content-Encoding', encoding);
  response.type(type).send((encoding && encoded[encoding]) ?? body);
}
