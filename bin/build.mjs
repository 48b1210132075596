/**
 * build.mjs [FOLDER] [--no-optional]
 *
 * Writes `dist/` (or the folder given): the sources without their types, for the image and the npm package. Node could run
 * the sources themselves, but its type stripper stays in memory: 30 MB of a role's 100, and half a
 * second of its start (measured with Node 24.21). Types become blanks, so that a line of a stack
 * trace is the line in `src/`. The compiler is no part of it: an image is built without it, and
 * lacks only the types of `parley/client`, which the package has. Beside it goes `sbom.cdx.json`,
 * of what is installed with it: `--no-optional` for an image, which goes without those packages.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSbom } from './sbom.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
/** Static and dynamic imports of our own files; oxfmt keeps the quotes as they are here. */
const ownImport = /((?:from|import\(|import)\s*'\.{1,2}\/[^']+)\.ts'/g;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'no-optional': { type: 'boolean', default: false } },
});
const target = resolve(positionals[0] ?? join(root, 'dist'));
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
rmSync(target, { recursive: true, force: true });
for (const file of sources.filter((name) => name.endsWith('.ts'))) {
  const output = join(target, file.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(output), { recursive: true });
  const code = stripTypeScriptTypes(readFileSync(join(root, 'src', file), 'utf8'));
  writeFileSync(output, code.replaceAll(ownImport, "$1.js'"));
}
// Data stands in the folder of the code that reads it, which exists by now.
for (const file of sources.filter((name) => name.endsWith('.json'))) {
  copyFileSync(join(root, 'src', file), join(target, file));
}
writeSbom({ root, file: join(target, 'sbom.cdx.json'), optional: !values['no-optional'] });

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
if (existsSync(compiler)) {
  const types = join(target, 'client');
  const args = ['-p', join(root, 'tsconfig.client.json'), '--outDir', types];
  execFileSync(process.execPath, [compiler, ...args], { stdio: 'inherit' });
  for (const file of readdirSync(types).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(types, file), 'utf8');
    writeFileSync(join(types, file), text.replaceAll(ownImport, "$1.js'"));
  }
}
