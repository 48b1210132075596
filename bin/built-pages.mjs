/**
 * Rebuilds the files for browsers (`dist/dashboard`, `dist/widget`) of a checkout if their sources have changed. The
 * check takes a few milliseconds: a stamp file in each folder contains a hash of the sources of the last build.
 */
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { runNode } from './node.mjs';
import { say } from './setup-error.mjs';

/** Sources of both builds. The lock file stands for the installed packages. */
const shared = ['packages/widget/src', 'src/voice/audio', 'package-lock.json'];
const dashboard = {
  name: 'dashboard',
  home: 'packages/dashboard',
  sources: [
    'packages/dashboard/src',
    'packages/dashboard/vite.config.ts',
    'packages/client/src',
    ...shared,
  ],
};
const widget = {
  name: 'widget',
  home: 'packages/widget',
  sources: ['bin/build-widget.mjs', ...shared],
};

/**
 * These functions build the dashboard or the widget if necessary. They return whether the built files match the
 * sources. A failed build throws no error, because the API also works without these files. The dashboard's page then
 * explains what to do.
 */
export const ensureDashboard = (at) => ensureBuilt(at, dashboard);
export const ensureWidget = (at) => ensureBuilt(at, widget);

async function ensureBuilt({ root, nodes }, what) {
  const { name, home } = what;
  if (!existsSync(join(root, home))) return true; // The npm package contains the built files.
  const wanted = fingerprint(root, what.sources);
  if (readStamp(root, name) === wanted) return true;
  const obstacle = obstacleTo(root);
  if (obstacle !== undefined) {
    say(`the ${name} is not built: ${obstacle}`);
    return false;
  }
  try {
    await withInstallLock(root, async () => {
      // Checks again, because another process may have built the files while this process waited for the lock.
      if (readStamp(root, name) !== wanted) await build({ root, nodes, wanted, name });
    });
  } catch (error) {
    say(`the ${name} is not built: ${error.message}`); // For example, the disk may be full.
  }
  return readStamp(root, name) === wanted;
}

function obstacleTo(root) {
  if (!existsSync(join(root, 'node_modules', 'vite'))) {
    return "the development packages are missing (run 'npm ci')";
  }
  try {
    accessSync(root, constants.W_OK);
    if (existsSync(join(root, 'dist'))) accessSync(join(root, 'dist'), constants.W_OK);
    return undefined;
  } catch {
    return `${root} is not writable`;
  }
}

/**
 * Builds into a temporary folder and then renames it, so that a process that starts in the meantime does not read an
 * incomplete build.
 */
async function build({ root, nodes, wanted, name }) {
  const startedMs = performance.now();
  const made = join(root, 'dist', `.${name}-${process.pid}`);
  const place = join(root, 'dist', name);
  mkdirSync(join(root, 'dist'), { recursive: true });
  try {
    const args = [join(root, 'bin', `build-${name}.mjs`), made];
    if ((await runNode({ root, nodes, cwd: root, args })) !== 0) {
      say(`building the ${name} failed, see the output above; the API runs without it`);
      return;
    }
    writeFileSync(join(made, '.sources'), wanted);
    rmSync(place, { recursive: true, force: true });
    renameSync(made, place);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  say(`built the ${name} (${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`);
}

function readStamp(root, name) {
  try {
    return readFileSync(join(root, 'dist', name, '.sources'), 'utf8');
  } catch {
    return undefined;
  }
}

function fingerprint(root, sources) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesOf(root, source))) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesOf(root, source) {
  if (!statSync(join(root, source)).isDirectory()) return [source];
  return readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => join(source, name))
    .filter((name) => statSync(join(root, name)).isFile());
}
