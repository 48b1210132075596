import { readFile } from 'node:fs/promises';

/**
 * File with the OpenAPI document. Creating the document takes at least a tenth of a second, during which the process
 * could not serve requests. Therefore `npm run generate -- openapi` writes the file in advance, and a test compares it
 * with the routes.
 */
export const OPENAPI_FILE = new URL('openapi.json', import.meta.url);

/**
 * Number of levels of the document at which each member gets its own line: down to operations, webhooks and components.
 */
const LEVELS_WITH_LINES = 3;

/** Returns the content of the file; the document has no version number. */
export function openApiText(document: object): string {
  return `${linesOf(document, LEVELS_WITH_LINES)}\n`;
}

/** Reads the document and inserts the version number. */
export async function readOpenApi(version: string): Promise<Buffer> {
  const text = await readFile(OPENAPI_FILE, 'utf8');
  return Buffer.from(text.replace('"version":""', () => `"version":${JSON.stringify(version)}`));
}

function linesOf(value: unknown, levels: number): string {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const lines = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${linesOf(member, levels - 1)}`,
  );
  return `{\n${lines.join(',\n')}\n}`;
}
