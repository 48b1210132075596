/**
 * build-client.mjs [FOLDER]
 *
 * Builds the client as JavaScript with type declarations. By default it writes to `packages/client/dist`, for the
 * package `@parley/client`, and copies the licence into that package, because npm does not include one from a parent
 * folder. The prepack script of the package `parley` passes `dist/client`, which that package exports as
 * `parley/client`.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripSources, withJavaScriptImports } from './strip-sources.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
const home = join(root, 'packages', 'client');
const target = resolve(process.argv[2] ?? join(home, 'dist'));

stripSources([[join(home, 'src'), target]]);
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
// The compiler's output goes to stderr, because stdout is reserved for the JSON of `npm pack --json`.
execFileSync(process.execPath, [compiler, '-p', home, '--outDir', target], {
  stdio: ['ignore', 2, 2],
});
for (const file of readdirSync(target).filter((name) => name.endsWith('.d.ts'))) {
  const text = readFileSync(join(target, file), 'utf8');
  writeFileSync(join(target, file), withJavaScriptImports(text));
}
if (process.argv[2] === undefined) copyFileSync(join(root, 'LICENSE'), join(home, 'LICENSE'));
