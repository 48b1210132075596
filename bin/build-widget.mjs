/**
 * build-widget.mjs FOLDER
 *
 * Writes the widget as the API role serves it: `widget.js`, which pages embed by one script element, and the files that
 * it loads later: `text-HASH.js` when the panel opens, `sound-HASH.js`, the worklets, when a visitor begins to speak, and
 * `LANGUAGE-HASH.js` for a language other than English. They contain no package.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressBuilt } from './compress-built.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
const languages = 'packages/widget/src/words/languages';

/** Empties the folder first. */
export async function buildWidget(folder) {
  process.env.NODE_ENV = 'production';
  const sound = await bundleLater(folder, 'sound', 'packages/widget/src/sound/worklets.ts', true);
  const text = await bundleLater(folder, 'text', 'packages/widget/src/text/read-text.ts');
  const words = {};
  for (const name of readdirSync(join(root, languages))) {
    const language = name.replace(/\.ts$/, '');
    words[language] = await bundleLater(folder, language, join(languages, name));
  }
  // These names are the program's: an open page continues with the files of its own build, or with none.
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

/** Returns where the API serves it. */
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
        // What others import stays exported.
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
