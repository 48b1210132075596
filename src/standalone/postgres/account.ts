import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../../platform/observability/logger.ts';
import { StartupError } from '../../errors.ts';
import type { PostgresBinaries } from './binaries.ts';

/** How to run PostgreSQL's programs: put `prefix` before the command, spawn with `spawnAs`. */
export type PostgresAccount = {
  prefix: readonly string[];
  spawnAs: { uid?: number; gid?: number };
  /** Who owns the files; undefined: who runs us, nothing to change. */
  fileOwner?: { uid: number; gid: number };
};

const NOBODY = 65_534;
const AS_SELF: PostgresAccount = { prefix: [], spawnAs: {} };
/**
 * A user namespace in which root is called nobody. PostgreSQL refuses uid 0 by name only, and files
 * stay root's, so that it works in folders which only root may enter.
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

/** Keeps secrets, and a PGPORT or LC_ALL of the user's shell, from PostgreSQL. */
export const POSTGRES_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

type Deps = {
  dataDir: string;
  binaries: PostgresBinaries;
  log: Logger;
  /** The program of util-linux that makes a user namespace. */
  unshare: string;
};

/** The command line that runs `command` as that account. */
export function withPrefix(account: PostgresAccount, command: readonly string[]): string[] {
  return [...account.prefix, ...command];
}

/**
 * Picks the account for PostgreSQL, which refuses to run as root, and the folder it can use: as an
 * ordinary user always `dataDir`. Throws StartupError when root has no way here.
 */
export async function chooseAccount(
  deps: Deps,
): Promise<{ account: PostgresAccount; folder: string }> {
  const { dataDir, binaries } = deps;
  if (process.getuid?.() !== 0) return { account: AS_SELF, folder: dataDir };
  const elsewhere = path.join('/var/tmp', `parley-${hash(dataDir)}`);
  // Data that was once put elsewhere must not be forgotten because namespaces work today.
  const isElsewhere = (await lstat(path.join(elsewhere, 'postgres')).catch(() => null)) !== null;
  const folders = isElsewhere ? [elsewhere] : [dataDir, elsewhere];
  const obstacles = new Set<string>();
  for (const folder of folders) {
    if (folder === elsewhere && !(await makeElsewhere(elsewhere))) continue;
    const { uid, gid } = await lstat(folder);
    // A folder that is somebody's stays theirs: `sudo npm start` must not lock its owner out.
    const owner = uid === 0 ? [] : [asUser(uid, gid)];
    for (const account of [...owner, renamedRoot(deps.unshare), asUser(NOBODY, NOBODY)]) {
      const obstacle = await obstacleTo(account, folder, binaries);
      if (obstacle !== undefined) {
        obstacles.add(obstacle);
        continue;
      }
      if (account.fileOwner !== undefined) await giveTo(account.fileOwner, folder);
      if (folder === elsewhere)
        deps.log.warn(`PostgreSQL cannot use ${dataDir} as root; its data is in ${folder}`);
      return { account, folder };
    }
  }
  await rmdir(elsewhere).catch(() => undefined); // Unless something is in it.
  const reasons = [...obstacles].filter((obstacle) => obstacle !== '').map((text) => ` (${text})`);
  throw new StartupError(
    `PostgreSQL does not run as root, and this system lets root run it in no other way${reasons.join('')}: set DATABASE_URL or run as an ordinary user`,
  );
}

/** /var/tmp is everybody's: a folder somebody else made in advance is not used. */
async function makeElsewhere(folder: string): Promise<boolean> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && [0, NOBODY].includes(found.uid);
}

/**
 * Finds out by trying: runs the binary as that account and lets it look at the folder's parents.
 * Undefined: there is none. Else what the system said, which may be nothing.
 */
async function obstacleTo(
  account: PostgresAccount,
  folder: string,
  binaries: PostgresBinaries,
): Promise<string | undefined> {
  // The folder itself is given to the account afterwards; its parents must let it through.
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

/** Only what PostgreSQL uses: a folder of the user's own choice may hold other things too. */
async function giveTo(owner: Owner, folder: string): Promise<void> {
  for (const file of ['postgres', 'postgres.password']) {
    await changeOwner(path.join(folder, file), owner);
  }
  if ((await lstat(folder)).uid !== owner.uid) await chown(folder, owner.uid, owner.gid);
}

async function changeOwner(file: string, owner: Owner): Promise<void> {
  const found = await lstat(file).catch(() => null);
  // Owned by the right one already: so is all below it, since it is changed last.
  if (found === null || found.uid === owner.uid || found.isSymbolicLink()) return;
  if (found.isDirectory()) {
    for (const name of await readdir(file)) await changeOwner(path.join(file, name), owner);
  }
  await chown(file, owner.uid, owner.gid);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
