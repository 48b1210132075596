/**
 * Brings `dist/dashboard` of a checkout in line with its sources, or finds in a few milliseconds that it
 * is. A stamp in that folder holds a hash of what it was built from.
 */
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { runNode } from './node.mjs';
import { say } from './setup-error.mjs';

/** What the build reads; the lock file stands for the packages. */
const sources = ['src/dashboard', 'packages/client/src', 'vite.config.ts', 'package-lock.json'];

/**
 * Never fails: without a dashboard the API is the same, and its page says what to do. Resolves to
 * whether what is there is of these sources.
 */
export async function ensureDashboard({ root, nodes }) {
  if (!existsSync(join(root, 'src', 'dashboard'))) return true; // A package brings it.
  const wanted = fingerprint(root);
  if (readStamp(root) === wanted) return true;
  const obstacle = obstacleTo(root);
  if (obstacle !== undefined) {
    say(`the dashboard is not built: ${obstacle}`);
    return false;
  }
  try {
    await withInstallLock(root, async () => {
      // Another start may have done it while this one waited.
      if (readStamp(root) !== wanted) await build({ root, nodes, wanted });
    });
  } catch (error) {
    say(`the dashboard is not built: ${error.message}`); // Such as a full disk.
  }
  return readStamp(root) === wanted;
}

function obstacleTo(root) {
  if (!existsSync(join(root, 'node_modules', 'vite'))) {
    return "that takes the development packages ('npm ci')";
  }
  try {
    accessSync(root, constants.W_OK);
    if (existsSync(join(root, 'dist'))) accessSync(join(root, 'dist'), constants.W_OK);
    return undefined;
  } catch {
    return `nothing can be written to ${root}`;
  }
}

/** Beside what is there, and in its place at once: a process that starts meanwhile reads one or the other. */
async function build({ root, nodes, wanted }) {
  const startedMs = performance.now();
  const made = join(root, 'dist', `.dashboard-${process.pid}`);
  const place = join(root, 'dist', 'dashboard');
  mkdirSync(join(root, 'dist'), { recursive: true });
  try {
    const args = [join(root, 'bin', 'build-dashboard.mjs'), made];
    if ((await runNode({ root, nodes, cwd: root, args })) !== 0) {
      say(
        'the dashboard could not be built: what is above says why; the API is served all the same',
      );
      return;
    }
    writeFileSync(join(made, '.sources'), wanted);
    rmSync(place, { recursive: true, force: true });
    renameSync(made, place);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  say(`built the dashboard (${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`);
}

function readStamp(root) {
  try {
    return readFileSync(join(root, 'dist', 'dashboard', '.sources'), 'utf8');
  } catch {
    return undefined;
  }
}

function fingerprint(root) {
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
