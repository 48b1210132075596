/**
 * build-client.mjs [FOLDER]
 *
 * Writes the client as JavaScript with its types: to `packages/client/dist`, for the package
 * `@parley/client`, or to the folder given, for the product's `parley/client`. The licence goes beside
 * it, since npm packs none from a folder above.
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
// What the compiler has to say is for a person: `npm pack --json` owns stdout.
execFileSync(process.execPath, [compiler, '-p', home, '--outDir', target], {
  stdio: ['ignore', 2, 2],
});
for (const file of readdirSync(target).filter((name) => name.endsWith('.d.ts'))) {
  const text = readFileSync(join(target, file), 'utf8');
  writeFileSync(join(target, file), withJavaScriptImports(text));
}
if (process.argv[2] === undefined) copyFileSync(join(root, 'LICENSE'), join(home, 'LICENSE'));
