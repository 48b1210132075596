import { readFile } from 'node:fs/promises';

/**
 * The OpenAPI document as a file. Making it takes a tenth of a second and more, in which the process would answer nobody, so
 * `npm run generate -- openapi` writes it, and a test compares it with the routes.
 */
export const OPENAPI_FILE = new URL('openapi.json', import.meta.url);

/** Operations, webhooks and components have a line each. */
const LEVELS_WITH_LINES = 3;

/** Returns the text of the file for a document without a version. */
export function openApiText(document: object): string {
  return `${linesOf(document, LEVELS_WITH_LINES)}\n`;
}

/** Reads the document and gives it a version. */
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
