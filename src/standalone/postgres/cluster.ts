import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, reasonOf, StartupError } from '../../errors.ts';
import { POSTGRES_ENV, type PostgresAccount, withPrefix } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';

type Deps = {
  folder: string;
  /** Path of the cluster, which is `postgres` in `folder`. */
  cluster: string;
  binaries: PostgresBinaries;
  account: PostgresAccount;
  /** Whether a new cluster must survive a power failure. */
  sync: boolean;
};

const DRAFT_PREFIX = 'postgres.new-';

/**
 * Creates the cluster if it is missing, and resolves to the password of its user `parley`. Throws StartupError for a
 * cluster with a different version or owner, a full disk, or programs that do not run.
 */
export async function prepareCluster(deps: Deps): Promise<string> {
  const version = await readOptional(path.join(deps.cluster, 'PG_VERSION'));
  const passwordFile = path.join(deps.folder, 'postgres.password');
  const password = await readOptional(passwordFile);
  if (version !== undefined) {
    await checkCluster(deps, version);
    if (password !== undefined) return password;
    throw new StartupError(`${passwordFile} is missing: restore it, or move ${deps.cluster} away`);
  }
  // The password is written before the cluster exists, and an existing password is reused, so that a crash never leaves
  // a cluster without its password.
  const chosen = password ?? (await writePassword(deps, passwordFile));
  await initialize(deps, passwordFile);
  return chosen;
}

async function checkCluster({ cluster, binaries }: Deps, version: string): Promise<void> {
  if (Number(version) !== binaries.majorVersion) {
    throw new StartupError(
      `${cluster} was created by PostgreSQL ${version.trim()}, but this is PostgreSQL ${binaries.majorVersion}: move the data with pg_dump, or set PARLEY_DATA_DIR to another folder`,
    );
  }
  const { uid } = await stat(cluster);
  const self = process.getuid?.();
  if (self === undefined || self === 0 || uid === self) return;
  throw new StartupError(
    `${cluster} belongs to another user (uid ${uid}): set PARLEY_DATA_DIR to another folder`,
  );
}

async function writePassword({ account }: Deps, file: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600).catch((cause: unknown) => {
    throw new StartupError(`${draft} cannot be written: ${reasonOf(cause)}`, { cause });
  });
  try {
    await handle.writeFile(password);
    await handle.sync();
  } catch (cause) {
    throw new StartupError(`${draft} cannot be written: ${reasonOf(cause)}`, { cause });
  } finally {
    await handle.close();
  }
  const owner = account.fileOwner;
  if (owner !== undefined) await chown(draft, owner.uid, owner.gid);
  await rename(draft, file);
  return password;
}

/**
 * Creates the cluster in a temporary folder beside the target and renames the folder when it is complete. A kill
 * therefore never leaves an incomplete cluster. The temporary folder has a new name each time, because the initdb of a
 * killed start may still be writing to an earlier folder.
 */
async function initialize(deps: Deps, passwordFile: string): Promise<void> {
  const { folder, cluster, binaries, account } = deps;
  await removeDrafts(folder);
  const draft = path.join(folder, `${DRAFT_PREFIX}${randomBytes(4).toString('hex')}`);
  // macOS has no C.UTF-8, so the locale there is C. The difference affects only PostgreSQL's use of the C library.
  const isMac = process.platform === 'darwin';
  const args = ['-D', draft, '--username=parley', `--pwfile=${passwordFile}`];
  args.push('--auth=scram-sha-256', '--no-instructions', '--encoding=UTF8');
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  args.push(
    isMac ? '--locale=C' : '--locale=C.UTF-8',
    ...(isMac ? ['--lc-ctype=en_US.UTF-8'] : []),
  );
  if (!deps.sync) args.push('--no-sync');
  const { code, output } = await run(withPrefix(account, [binaries.initdb, ...args]), account);
  if (code !== 0) {
    await removeDrafts(folder);
    throw new StartupError(explainInitdb(output, folder));
  }
  await rename(draft, cluster);
  if (deps.sync) await syncFolder(folder);
}

async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => name.startsWith(DRAFT_PREFIX));
  for (const name of drafts) {
    // Fails while the initdb of a killed start is still writing to the folder. A later start removes the folder.
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function run(
  [command = '', ...args]: readonly string[],
  account: PostgresAccount,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    ...account.spawnAs,
    env: POSTGRES_ENV,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // Ctrl-C must reach only this process, which then waits until the child has ended.
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

function explainInitdb(output: string, folder: string): string {
  if (output.includes('No space left on device')) {
    return `no disk space left for ${folder}: a new database needs about 50 MB`;
  }
  if (/shared libraries|not found|ENOENT/.test(output)) {
    return `the embedded PostgreSQL does not run on this system: set DATABASE_URL to PostgreSQL 15 or newer (${lastWords(output)})`;
  }
  return `the database in ${folder} could not be created: ${lastWords(output)}`;
}

/** Returns the line that contains the error. The lines after it only report initdb's cleanup. */
function lastWords(output: string): string {
  const lines = output.split('\n').filter(Boolean);
  return lines.find((line) => /error|FATAL|could not/i.test(line)) ?? lines.at(-1) ?? 'no output';
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new StartupError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}
