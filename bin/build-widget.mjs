/**
 * build-widget.mjs FOLDER
 *
 * Builds the widget as the API role serves it. Pages embed `widget.js` with one script element. It loads other files
 * later: `text-HASH.js` when the panel opens, `sound-HASH.js` (the worklets) when a visitor starts to speak, and
 * `LANGUAGE-HASH.js` for a language other than English. The files contain no third-party code.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressBuilt } from './compress-built.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
const languages = 'packages/widget/src/words/languages';

/** Builds the widget into an emptied folder. */
export async function buildWidget(folder) {
  process.env.NODE_ENV = 'production';
  const sound = await bundleLater(folder, 'sound', 'packages/widget/src/sound/worklets.ts', true);
  const text = await bundleLater(folder, 'text', 'packages/widget/src/text/read-text.ts');
  const words = {};
  for (const name of readdirSync(join(root, languages))) {
    const language = name.replace(/\.ts$/, '');
    words[language] = await bundleLater(folder, language, join(languages, name));
  }
  // The file names with their hashes are built into `widget.js`. An open page therefore never loads files of another
  // build: it gets the files of its own build, or none.
  const define = {
    SOUND_FILE: JSON.stringify(sound),
    TEXT_FILE: JSON.stringify(text),
    WORD_FILES: JSON.stringify(words),
  };
  await bundle(folder, {
    emptyOutDir: false,
    input: 'packages/widget/src/widget.ts',
    output: { format: 'iife', entryFileNames: 'widget.js' },
    define,
  });
}

/** Bundles a file that the widget loads later. Returns the path at which the API serves the file. */
async function bundleLater(folder, name, input, emptyOutDir = false) {
  const output = { format: 'es', entryFileNames: `${name}-[hash].js` };
  const { fileName } = await bundle(folder, { emptyOutDir, input, output });
  return `widget/${fileName}`;
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
      rolldownOptions: {
        input: join(root, input),
        // Keeps the exports of the entry file, because the widget imports them at run time.
        preserveEntrySignatures: 'strict',
        output,
        checks: { bundlerTimings: false },
      },
    },
  });
  const [file] = built.output;
  await compressBuilt(folder, file);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildWidget(resolve(process.argv[2] ?? join(root, 'dist', 'widget')));
}
