import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Plugin } from 'vite';
import { startOnce } from './start-once.ts';
import { withLock } from './with-lock.ts';

/**
 * Bundles the program into a few files for the processes that tests start. Loading 900 separate modules takes half of
 * the CPU time of a start, even with a compile cache. Tests of the package, the image and `npm start` do not use the
 * bundle, but run what users run.
 */
const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCES = ['src', 'packages/drill/src', 'packages/web-reader/src'];
/** Folder of the bundles. It is in `node_modules`, so that Node finds packages that are not part of the bundle. */
const BUNDLES = path.join(ROOT, 'node_modules/.cache/parley-bundles');
/** Age in ms at which a bundle is removed. A newer bundle may belong to a run with other sources. */
const KEPT_MS = 24 * 3_600_000;

/** Returns the path of the bundled `src/main.ts`. The first call after a change to the sources builds it. */
export const bundledMain = startOnce(async () => {
  const prefix = `${hashOf([ROOT])}-`;
  const folder = path.join(BUNDLES, prefix + versionOf());
  if (!existsSync(folder))
    await withLock(path.join(BUNDLES, `${prefix}lock`), async () => {
      if (existsSync(folder)) return; // Another worker built it while this one waited.
      await promisify(execFile)(process.execPath, [import.meta.filename, folder], { cwd: ROOT });
    });
  return path.join(folder, 'main.mjs');
});

/** Returns a hash of everything that determines the bundle. */
function versionOf(): string {
  const files = ['package-lock.json', path.relative(ROOT, import.meta.filename)];
  for (const source of SOURCES)
    for (const file of readdirSync(path.join(ROOT, source), { recursive: true, encoding: 'utf8' }))
      if (/\.(ts|json)$/.test(file)) files.push(path.join(source, file));
  return hashOf(files.toSorted().flatMap((file) => [file, readFileSync(path.join(ROOT, file))]));
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

/**
 * Makes each module keep the location of its source, so that the program finds its files, workers and packages.
 */
const inPlace: Plugin = {
  name: 'in-place',
  transform(code, id) {
    const file = id.split('?')[0]!;
    if (!path.isAbsolute(file) || !code.includes('import.meta.')) return undefined;
    const places = {
      url: pathToFileURL(file).href,
      dirname: path.dirname(file),
      filename: file,
    };
    const placed = code.replaceAll(
      /\bimport\.meta\.(url|dirname|filename)\b/g,
      (_, name: keyof typeof places) => JSON.stringify(places[name]),
    );
    return { code: placed, map: null };
  },
};

/** Builds in a temporary folder and then renames it, so that an interrupted build leaves no incomplete bundle. */
async function bundle(target: string): Promise<void> {
  const { build } = await import('vite');
  const draft = await mkdtemp(`${target}-`);
  await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: 'error',
    plugins: [inPlace],
    ssr: { noExternal: true },
    build: {
      ssr: path.join(ROOT, 'src/main.ts'),
      outDir: draft,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  for (const name of readdirSync(BUNDLES))
    if (Date.now() - statSync(path.join(BUNDLES, name)).mtimeMs > KEPT_MS)
      await rm(path.join(BUNDLES, name), { recursive: true, force: true });
  await rename(draft, target);
}

if (process.argv[1] === import.meta.filename) await bundle(process.argv[2]!);
