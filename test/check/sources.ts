import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The files that the rules read. Each is read once, whichever rules ask for it. */

export const ROOT = path.resolve(import.meta.dirname, '../..');

const texts = new Map<string, string>();

/** The text of a file, by its path from the root of the repository. */
export function read(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  texts.set(file, text);
  return text;
}

/** Paths of all files below the folders, from the root of the repository, sorted. */
export function filesBelow(...folders: string[]): string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*`, { cwd: ROOT, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** Folders with code that we ship: the server, and each package. */
export const SOURCES = ['src', ...globSync('packages/*/src', { cwd: ROOT }).sort()];

export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
