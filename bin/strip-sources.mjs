/** The sources without their types, for the image and the packages. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, sep } from 'node:path';

/** Static and dynamic imports of our own files; oxfmt keeps the quotes as they are here. */
const ownImport = /((?:from|import\(|import)\s*'\.{1,2}\/[^']+)\.ts'/g;

export const withJavaScriptImports = (code) => code.replaceAll(ownImport, "$1.js'");

/** Built by themselves, for browsers (build-dashboard.mjs, build-widget.mjs). */
const forBrowsers = [`dashboard${sep}`, `widget${sep}`];

/** Empties `target` first. Types become blanks, so that lines keep their numbers. */
export function stripSources(source, target) {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !forBrowsers.some((folder) => name.startsWith(folder)),
  );
  rmSync(target, { recursive: true, force: true });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const output = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    const code = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'));
    writeFileSync(output, withJavaScriptImports(code));
  }
  for (const file of files.filter((name) => /\.(json|wav)$/.test(name))) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyFileSync(join(source, file), join(target, file));
  }
}
