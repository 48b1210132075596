import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, reasonOf, StartupError } from '../../errors.ts';

const TRIES = 50;
/** States of zombie and dead processes on Linux. */
const ENDED = new Set(['Z', 'X', 'x']);

/**
 * Creates a pid file that reserves `dataDir` for this process (contract/running.md#data-folder). Creates the folder if
 * it is missing. Resolves to a function that releases the folder. Throws StartupError with the owner's pid if
 * another process is using it. Ignores a pid file left by a killed process.
 */
export async function ownFolder(dataDir: string): Promise<() => Promise<void>> {
  await makeFolder(dataDir);
  const file = path.join(dataDir, 'parley.pid');
  const self = `${process.pid} ${processStartTime(process.pid)}`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await createExclusive(file, self)) return () => rm(file, { force: true });
    const owner = await readFile(file, 'utf8').catch(() => undefined);
    if (owner === undefined) continue;
    if (!isStale(owner)) {
      throw new StartupError(
        `the data folder ${dataDir} is in use by another parley (pid ${owner.split(' ')[0]}): stop that process, or set PARLEY_DATA_DIR to another folder`,
      );
    }
    await removeStale(file, owner);
  }
  throw new StartupError(
    `several Parley processes are starting with the data folder ${dataDir} at the same time`,
  );
}

async function makeFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StartupError(
      `the data folder ${dataDir} cannot be created: ${reasonOf(cause)}. Set PARLEY_DATA_DIR to a folder you may write to`,
      { cause },
    );
  }
}

/**
 * Creates the file under a temporary name and then links it to its final name. The file is therefore never empty and
 * never replaces an existing file. Returns false if the file already exists.
 */
async function createExclusive(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, content, { mode: 0o644 });
    await link(draft, file);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw new StartupError(
      `the data folder ${path.dirname(file)} cannot be written to: ${reasonOf(cause)}. Set PARLEY_DATA_DIR to a folder you may write to`,
      { cause },
    );
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Returns whether the process named in the file is no longer running. A file that a power failure left empty is also
 * stale.
 */
function isStale(owner: string): boolean {
  const [, pid, startedAt] = /^(\d+) (.*)$/.exec(owner) ?? [];
  return pid === undefined || processStartTime(Number(pid)) !== startedAt;
}

/**
 * Removes a stale file by renaming it. If two processes do this at the same time, only one succeeds. If another process
 * created a new file in the meantime, puts that file back.
 */
async function removeStale(file: string, owner: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) === owner) await rm(aside, { force: true });
    else await rename(aside, file);
  } catch {
    // Another process was faster, so the caller checks again.
  }
}

/**
 * Returns the start time of a process in the system's format, or undefined if the process is not running. Together with
 * the pid, the start time identifies a process permanently. A pid alone is soon reused, in a container even
 * immediately.
 *
 * On Linux, a zombie counts as gone, because it stays forever if pid 1 does not reap it. On other systems, every
 * process that `ps` lists counts as running.
 */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // `fields` starts at field 3. Field 2 is the program's name in parentheses, which may contain spaces, so the line
      // is split after it.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
      return ENDED.has(fields?.[0] ?? '') ? undefined : fields?.[19]; // State (field 3) and start time (field 22).
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
