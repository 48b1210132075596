import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from './start-postgres.ts';
import { atEndOfRun } from './stop-servers.ts';

export { stopServers as teardown } from './stop-servers.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Draws nothing but pages: its tabs take less than half the CPU of those of a whole Chromium. */
const SHELL = 'chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Starts PostgreSQL, builds the dashboard and the widget from their sources, and leaves the path of the system's
 * Chromium in PARLEY_TEST_CHROMIUM. Without a Chromium, browser-runner.ts skips these tests and a warning says so;
 * with CI=true that is an error.
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

/** Returns PARLEY_CHROMIUM, else the headless shell, which it installs if it can, else the Chromium of the system. */
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

/** Installs it where that needs no permission: as root on Debian and its descendants. */
function installShell(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.warn(`installing ${SHELL} for the browser tests (once, about half a minute) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[] };
  // Without a network it fails soon; another installation that is running is waited for.
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

/** A copy of this run alone: another test packs the package, which empties `dist` and fills it again. */
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
