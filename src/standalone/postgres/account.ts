import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../../platform/observability/logger.ts';
import { StartupError } from '../../errors.ts';
import type { PostgresBinaries } from './binaries.ts';

/** How to run PostgreSQL's programs: prepend `prefix` to the command and pass `spawnAs` to `spawn`. */
export type PostgresAccount = {
  prefix: readonly string[];
  spawnAs: { uid?: number; gid?: number };
  /** Owner of the files. Undefined means the current user. */
  fileOwner?: { uid: number; gid: number };
};

const NOBODY = 65_534;
const AS_SELF: PostgresAccount = { prefix: [], spawnAs: {} };
/**
 * Returns an account in a user namespace in which root has the uid of nobody, because PostgreSQL refuses to run with
 * uid 0. Outside the namespace, root still owns the files, so the account can use folders that only root may enter.
 */
const renamedRoot = (unshare: string): PostgresAccount => ({
  prefix: [unshare, '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'],
  spawnAs: {},
  fileOwner: { uid: 0, gid: 0 },
});
const asUser = (uid: number, gid: number): PostgresAccount => ({
  prefix: [],
  spawnAs: { uid, gid },
  fileOwner: { uid, gid },
});

/** Environment for PostgreSQL. It contains neither secrets nor a PGPORT or LC_ALL from the user's shell. */
export const POSTGRES_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

type Deps = {
  dataDir: string;
  binaries: PostgresBinaries;
  log: Logger;
  /** Program from util-linux that creates a user namespace. */
  unshare: string;
};

/** Returns the command line that runs `command` with this account. */
export function withPrefix(account: PostgresAccount, command: readonly string[]): string[] {
  return [...account.prefix, ...command];
}

/**
 * Chooses an account for PostgreSQL, which refuses to run as root, and a folder that the account can use. For an
 * ordinary user, the folder is always `dataDir`. Throws StartupError if root has no way to run PostgreSQL.
 */
export async function chooseAccount(
  deps: Deps,
): Promise<{ account: PostgresAccount; folder: string }> {
  const { dataDir, binaries } = deps;
  if (process.getuid?.() !== 0) return { account: AS_SELF, folder: dataDir };
  const elsewhere = path.join('/var/tmp', `parley-${hash(dataDir)}`);
  // If an earlier run stored its data in the folder `elsewhere`, that folder is used, even if `dataDir` would work now.
  const isElsewhere = (await lstat(path.join(elsewhere, 'postgres')).catch(() => null)) !== null;
  const folders = isElsewhere ? [elsewhere] : [dataDir, elsewhere];
  const obstacles = new Set<string>();
  for (const folder of folders) {
    if (folder === elsewhere && !(await makeElsewhere(elsewhere))) continue;
    const { uid, gid } = await lstat(folder);
    // If the folder belongs to another user, PostgreSQL runs as that user, so that `sudo npm start` does not lock the
    // owner out.
    const owner = uid === 0 ? [] : [asUser(uid, gid)];
    for (const account of [...owner, renamedRoot(deps.unshare), asUser(NOBODY, NOBODY)]) {
      const obstacle = await obstacleTo(account, folder, binaries);
      if (obstacle !== undefined) {
        obstacles.add(obstacle);
        continue;
      }
      if (account.fileOwner !== undefined) await giveTo(account.fileOwner, folder);
      if (folder === elsewhere)
        deps.log.warn(`PostgreSQL cannot use ${dataDir} as root, so its data is in ${folder}`);
      return { account, folder };
    }
  }
  await rmdir(elsewhere).catch(() => undefined); // Removes the folder only if it is empty. Otherwise `rmdir` fails.
  const reasons = [...obstacles].filter((obstacle) => obstacle !== '').map((text) => ` (${text})`);
  throw new StartupError(
    `PostgreSQL refuses to run as root, and this system offers no other account for it${reasons.join('')}: set DATABASE_URL or run as an ordinary user`,
  );
}

/**
 * Creates the folder in /var/tmp, where everyone can write. Returns false if another user created the folder in
 * advance.
 */
async function makeElsewhere(folder: string): Promise<boolean> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && [0, NOBODY].includes(found.uid);
}

/**
 * Checks whether the account can pass through the folder's parents and run the binary. Returns undefined if it can.
 * Otherwise returns the system's error message, which may be empty.
 */
async function obstacleTo(
  account: PostgresAccount,
  folder: string,
  binaries: PostgresBinaries,
): Promise<string | undefined> {
  // The account will own the folder itself later, but it must be able to pass through the parent folders now.
  const script = 'test -x "$1" && exec "$2" --version';
  const [command = '', ...args] = withPrefix(account, ['/bin/sh', '-c', script, 'sh']);
  try {
    await promisify(execFile)(command, [...args, path.dirname(folder), binaries.postgres], {
      ...account.spawnAs,
      env: POSTGRES_ENV,
      cwd: '/',
    });
    return undefined;
  } catch (error) {
    const { stderr } = error as { stderr?: unknown };
    return typeof stderr === 'string' ? (stderr.trim().split('\n')[0] ?? '') : '';
  }
}

type Owner = { uid: number; gid: number };

/**
 * Changes the owner of only the files that PostgreSQL uses, because a folder that the user chose may contain other
 * files.
 */
async function giveTo(owner: Owner, folder: string): Promise<void> {
  for (const file of ['postgres', 'postgres.password']) {
    await changeOwner(path.join(folder, file), owner);
  }
  if ((await lstat(folder)).uid !== owner.uid) await chown(folder, owner.uid, owner.gid);
}

async function changeOwner(file: string, owner: Owner): Promise<void> {
  const found = await lstat(file).catch(() => null);
  // The owner of a folder is changed after the owner of its contents. So if the folder has the right owner, its
  // contents do too.
  if (found === null || found.uid === owner.uid || found.isSymbolicLink()) return;
  if (found.isDirectory()) {
    for (const name of await readdir(file)) await changeOwner(path.join(file, name), owner);
  }
  await chown(file, owner.uid, owner.gid);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
