/**
 * build-dashboard.mjs FOLDER
 *
 * Builds the dashboard as the API role serves it. The folder gets Vite's build of `packages/dashboard`, compressed
 * copies of its files, and `licenses.txt` with the licences of all bundled packages and fonts.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressBuilt } from './compress-built.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Builds the dashboard into an emptied folder. Returns the packages in the bundle as `name@version`. */
export async function buildDashboard(folder) {
  // Overrides the value that the shell or a test runner has set. Otherwise the bundle would contain React's development
  // build, which is 50% larger.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const { output } = await build({
    configFile: join(root, 'packages/dashboard/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  });
  await Promise.all(output.map((file) => compressBuilt(folder, file)));
  const packages = bundledPackages(output);
  writeFileSync(join(folder, 'licenses.txt'), licensesOf(packages));
  return packages.map(({ name, version }) => `${name}@${version}`);
}

/** Returns the packages whose modules are in the output files, including nested packages, sorted by folder. */
function bundledPackages(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const homes = modules.flatMap(
    (id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/?]+(?=\/)/)?.[0] ?? [],
  );
  return [...new Set(homes)].sort(byText).map((home) => {
    const { name, version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    return { home, name, version, license };
  });
}

const byText = (one, other) => (one < other ? -1 : 1);

/** Returns the full licence texts, because the licences require their text and not only their name. */
function licensesOf(packages) {
  const texts = packages.map(({ home, name, version, license }) => {
    const file = readdirSync(home).find((one) => /^licen[cs]e(\.|$)/i.test(one));
    if (file === undefined) throw new Error(`the package ${name} has no license file`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(home, file), 'utf8').trim()}\n`;
  });
  const fonts = readFileSync(join(root, 'packages/dashboard/src/ui/fonts/OFL.txt'), 'utf8');
  const all = [...texts, `Fonts (OFL-1.1)\n\n${fonts}`];
  return `The dashboard contains these packages and fonts.\n\n${all.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDashboard(resolve(process.argv[2] ?? join(root, 'dist', 'dashboard')));
}
