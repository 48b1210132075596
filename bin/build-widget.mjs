/**
 * build-widget.mjs FOLDER
 *
 * Writes the widget as the API role serves it: `widget.js`, which pages embed by one script element, and
 * `sound-HASH.js`, the worklets that it loads when somebody begins to speak. No package is in them.
 */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressBuilt } from './compress-built.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Empties the folder first. */
export async function buildWidget(folder) {
  process.env.NODE_ENV = 'production';
  const sound = await bundle(folder, {
    emptyOutDir: true,
    input: 'src/widget/sound/worklets.ts',
    output: { format: 'es', entryFileNames: 'sound-[hash].js' },
  });
  // Its name is the program's: a page of before goes on with the worklets of before, or with none.
  const define = { SOUND_FILE: JSON.stringify(`widget/${sound.fileName}`) };
  await bundle(folder, {
    emptyOutDir: false,
    input: 'src/widget/widget.ts',
    output: { format: 'iife', entryFileNames: 'widget.js' },
    define,
  });
}

async function bundle(folder, { emptyOutDir, input, output, define }) {
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    ...(define && { define }),
    build: {
      outDir: folder,
      emptyOutDir,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: join(root, input), output, checks: { bundlerTimings: false } },
    },
  });
  const [file] = built.output;
  await compressBuilt(folder, file);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildWidget(resolve(process.argv[2] ?? join(root, 'dist', 'widget')));
}
