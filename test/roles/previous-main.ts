import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The main that was released before this one: what an upgrade comes from and a rollback goes back
 * to. Moved at each release. PARLEY_TEST_PREVIOUS names another commit.
 */
const PREVIOUS = process.env['PARLEY_TEST_PREVIOUS'] ?? 'a4f1ff8450a5d2900f2b6cf8fa13d99dd599ffff';

const run = promisify(execFile);

/** The files of a commit, ready to run. */
export type Tree = { path: string; commit: string; remove: () => Promise<void> };

/**
 * Whether the commit is in this clone. A shallow clone and an unpacked archive have it not: then
 * this says what is left out and answers false, so that the caller skips; with `CI=true` it throws
 * instead, because a run that proved nothing about upgrades is no pass.
 */
export async function hasPreviousMain(): Promise<boolean> {
  try {
    await git('cat-file', '-e', `${PREVIOUS}^{commit}`);
    return true;
  } catch (cause) {
    const message =
      `The previous main (${PREVIOUS}) is not in this clone, or there is no git: the tests of ` +
      'upgrades are LEFT OUT. `git fetch --unshallow` brings it.';
    if (process.env['CI'] === 'true') throw new Error(message, { cause });
    console.warn(message);
    return false;
  }
}

/**
 * That commit in a temporary folder. It runs on this tree's packages where both lock the same
 * ones; otherwise its own are installed, which needs the registry.
 */
export function previousMain(): Promise<Tree> {
  return unpack([], givePackages);
}

/** The CRDs of that commit alone, which need no packages. */
export function previousCrds(): Promise<Tree> {
  return unpack(['crds'], async () => undefined);
}

/** @param paths files and folders of the commit; none: all of it */
async function unpack(
  paths: readonly string[],
  complete: (folder: string) => Promise<void>,
): Promise<Tree> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-previous-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    // Not `git worktree`: that writes into the clone, and a killed run would leave it there.
    const archive = path.join(folder, 'tree.tar');
    await git('archive', '--output', archive, PREVIOUS, ...paths);
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    await complete(folder);
    const { stdout } = await git('rev-parse', '--short', PREVIOUS);
    return { path: folder, commit: stdout.trim(), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function git(...args: string[]): Promise<{ stdout: string }> {
  // Whose clone it is does not matter: nothing of its configuration is obeyed here but its objects.
  return run('git', ['-c', 'safe.directory=*', '-C', ROOT, ...args]);
}

async function givePackages(folder: string): Promise<void> {
  const packages = path.join(ROOT, 'node_modules');
  if (!existsSync(packages)) throw new Error('this tree has no node_modules');
  if (isDeepStrictEqual(await lockedPackages(folder), await lockedPackages(ROOT))) {
    await symlink(packages, path.join(folder, 'node_modules'));
    return;
  }
  try {
    const omit = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['ci', ...omit], { cwd: folder });
  } catch (cause) {
    const message =
      `The previous main (${PREVIOUS}) locks other packages than this tree, and they could not ` +
      'be installed: it cannot run here. `npm ci` needs npm and the registry, or its cache.';
    throw new Error(message, { cause });
  }
}

/** What a role needs to run: place in node_modules → version. Optional ones are of `start`. */
async function lockedPackages(folder: string): Promise<Record<string, string | undefined>> {
  const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const needed = Object.entries(lock.packages).filter(
    ([place, { link, dev, optional }]) =>
      place.includes('node_modules/') && !link && !dev && !optional,
  );
  return Object.fromEntries(needed.map(([place, { version }]) => [place, version]));
}

type Locked = { version?: string; link?: boolean; dev?: boolean; optional?: boolean };
