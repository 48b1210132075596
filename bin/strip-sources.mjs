/** Writes the sources without their types, for the image and the npm packages. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Matches static and dynamic imports of the project's own files. oxfmt ensures single quotes. */
const ownImport = /((?:from|import\(|import)\s*')(\.{1,2}\/[^']+)\.ts'/g;

export const withJavaScriptImports = (code, move = (path) => path) =>
  code.replaceAll(ownImport, (_, start, path) => `${start}${move(path)}.js'`);

/**
 * Writes each folder of sources to its target: `[[source, target], …]`. Each target is emptied first. Imports between
 * two source folders are changed to imports between their targets. Types are replaced with spaces, so that line numbers
 * do not change.
 */
export function stripSources(folders) {
  for (const [source, target] of folders) stripFolder(source, target, folders);
}

function stripFolder(source, target, folders) {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  rmSync(target, { recursive: true, force: true });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const output = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    const code = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'));
    const move = (path) => {
      const imported = resolve(source, dirname(file), path);
      const [from, to] = folders.find(([from]) => imported.startsWith(from + sep)) ?? [];
      if (from === undefined || from === source) return path;
      return relativePath(dirname(output), join(to, relative(from, imported)));
    };
    writeFileSync(output, withJavaScriptImports(code, move));
  }
  for (const file of files.filter((name) => /\.(json|wav)$/.test(name))) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyFileSync(join(source, file), join(target, file));
  }
}

function relativePath(from, to) {
  const path = relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}
