/**
 * build.mjs [FOLDER] [--no-optional]
 *
 * Builds `dist/`, or the given folder, for the image and the npm package. It contains:
 *
 * - the sources of the server and of the packages that the server runs, without their types. Node could run the
 *   sources directly, but its type stripper takes 30 MB of a role's 100 MB and half a second of its start (measured
 *   with Node 24.21). Types are replaced with spaces, so that line numbers in stack traces match `src/`
 * - the files for browsers (`dashboard/`, `widget/`)
 * - the CMaps that PDFs from East Asia refer to (`cmaps/`, 1.7 of the 36 MB of pdfjs-dist)
 * - `sbom.cdx.json`, which lists the packages that are installed with Parley or contained in these files. The image
 *   lacks the optional packages, and `--no-optional` omits them from the list
 */
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildDashboard } from './build-dashboard.mjs';
import { buildWidget } from './build-widget.mjs';
import { writeSbom } from './sbom.mjs';
import { stripSources } from './strip-sources.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'no-optional': { type: 'boolean', default: false } },
});
const target = resolve(positionals[0] ?? join(root, 'dist'));
stripSources([
  [join(root, 'src'), target],
  [join(root, 'packages/drill/src'), join(target, 'drill')],
  [join(root, 'packages/web-reader/src'), join(target, 'web-reader')],
]);
const bundled = await buildDashboard(join(target, 'dashboard'));
await buildWidget(join(target, 'widget'));
const pdfjs = join(root, 'node_modules/pdfjs-dist');
cpSync(join(pdfjs, 'cmaps'), join(target, 'cmaps'), { recursive: true });
const { version } = JSON.parse(readFileSync(join(pdfjs, 'package.json'), 'utf8'));
writeSbom({
  root,
  file: join(target, 'sbom.cdx.json'),
  optional: !values['no-optional'],
  bundled: [...bundled, `pdfjs-dist@${version}`],
});
