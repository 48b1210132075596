import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Commit of the previous release. Upgrades start from it, and rollbacks return to it. Change it at each release.
 * PARLEY_TEST_PREVIOUS selects a different commit.
 */
const PREVIOUS = process.env['PARLEY_TEST_PREVIOUS'] ?? 'a4f1ff8450a5d2900f2b6cf8fa13d99dd599ffff';

const run = promisify(execFile);

/** The files of a commit, ready to run. */
export type Tree = { path: string; commit: string; remove: () => Promise<void> };

/**
 * Returns whether the commit is in this clone. A shallow clone or an unpacked archive does not have it. In that case,
 * logs which tests are omitted and returns false, so that the caller skips them. With `CI=true`, throws instead,
 * because a run that tested no upgrade must not pass.
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
 * Unpacks the commit into a temporary folder. If both trees lock the same packages, it uses those of this tree.
 * Otherwise its own packages are installed, which needs the registry.
 */
export function previousMain(): Promise<Tree> {
  return unpack([], givePackages);
}

/** Unpacks only the CRDs of the commit, which need no packages. */
export function previousCrds(): Promise<Tree> {
  return unpack(['crds'], async () => undefined);
}

/**
 * Unpacks a commit.
 * @param paths files and folders of the commit; empty for all
 */
async function unpack(
  paths: readonly string[],
  complete: (folder: string) => Promise<void>,
): Promise<Tree> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-previous-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    // `git worktree` is not used, because it writes into the clone, and a killed run would leave that data behind.
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
  // The owner of the clone does not matter, because git only reads objects here.
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

/**
 * Returns the packages that a role needs to run, as a map from the path in node_modules to the version. Excludes
 * optional packages, which only `start` needs.
 */
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
