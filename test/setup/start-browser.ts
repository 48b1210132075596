import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from './start-postgres.ts';
import { atEndOfRun } from './stop-servers.ts';

export { stopServers as teardown } from './stop-servers.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Chromium without a user interface. Its tabs use less than half the CPU time of those of the full Chromium. */
const SHELL = 'chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Starts PostgreSQL, builds the dashboard and the widget from their sources, and sets PARLEY_TEST_CHROMIUM to the path
 * of the Chromium that it finds. Without Chromium, it prints a warning and browser-runner.ts skips these tests. With
 * CI=true, a missing Chromium is an error.
 */
export async function setup(): Promise<void> {
  const chromium = findChromium();
  if (chromium === undefined) leaveOut();
  else await start(chromium);
}

async function start(chromium: string): Promise<void> {
  process.env['PARLEY_TEST_CHROMIUM'] = chromium;
  const [, built] = await Promise.all([startPostgres(), buildPages()]);
  process.env['PARLEY_TEST_DASHBOARD'] = path.join(built, 'dashboard');
  process.env['PARLEY_TEST_WIDGET'] = path.join(built, 'widget');
}

/**
 * Returns the path of Chromium: PARLEY_CHROMIUM if it is set, otherwise the headless shell, which is installed if
 * possible, otherwise the system's Chromium.
 */
function findChromium(): string | undefined {
  const named = process.env['PARLEY_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`PARLEY_CHROMIUM: there is nothing at ${named}`);
    return named;
  }
  return inPath([SHELL]) ?? installShell() ?? inPath(NAMES);
}

function inPath(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

/** Installs the headless shell if no permission is needed, that is as root on Debian and its derivatives. */
function installShell(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.warn(`installing ${SHELL} for the browser tests (once, about half a minute) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[] };
  // Fails soon without a network, and waits for another apt process that is running.
  const apt = ['-qq', '-o', 'Acquire::http::Timeout=10', '-o', 'DPkg::Lock::Timeout=120'];
  try {
    execFileSync('apt-get', [...apt, 'update'], options);
    execFileSync('apt-get', [...apt, 'install', '-y', '--no-install-recommends', SHELL], options);
  } catch (error) {
    console.warn(`apt-get could not install it: ${String(error)}`);
  }
  return inPath([SHELL]);
}

function leaveOut(): void {
  const what = `no Chromium: install it, or name one in PARLEY_CHROMIUM (looked for ${[SHELL, ...NAMES].join(', ')})`;
  if (process.env['CI'] === 'true') throw new Error(what);
  console.warn(`\n  THE BROWSER TESTS ARE LEFT OUT: ${what}\n`);
}

type Build = (at: { root: string; nodes: string[] }) => Promise<boolean>;

/** Builds a separate copy for this run, because a test that packs the npm package empties and rebuilds `dist`. */
async function buildPages(): Promise<string> {
  const file = path.join(ROOT, 'bin/built-pages.mjs');
  const builds = (await import(file)) as { ensureDashboard: Build; ensureWidget: Build };
  const at = { root: ROOT, nodes: [process.execPath] };
  if (!(await builds.ensureDashboard(at)) || !(await builds.ensureWidget(at)))
    throw new Error('the dashboard or the widget could not be built; see the output above');
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-built-'));
  atEndOfRun(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['dashboard', 'widget'])
    await cp(path.join(ROOT, 'dist', name), path.join(folder, name), { recursive: true });
  return folder;
}
