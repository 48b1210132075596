import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartupError } from '../../errors.ts';
import { codeOf, reasonOf } from './reason.ts';

/** A file is created and written in two steps; an empty one that is older was never going to be. */
const EMPTY_FILE_MS = 5_000;
const TRIES = 50;

/**
 * Makes this process the only one that uses `dataDir`, by a file that names it. Resolves to the
 * release. Throws StartupError with the owner's pid when another process has the folder; a file
 * left by one that was killed counts for nothing.
 */
export async function ownFolder(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, 'parley.pid');
  const self = `${process.pid} ${processStartTime(process.pid)}`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await createExclusive(file, self)) return () => rm(file, { force: true });
    const owner = await readFile(file, 'utf8').catch(() => undefined);
    if (owner === undefined) continue;
    if (!(await isStale(file, owner))) {
      const pid = owner.split(' ')[0] ?? '';
      throw new StartupError(
        `the data folder ${dataDir} is in use by another parley${pid === '' ? '' : ` (pid ${pid})`}: stop that one, or set PARLEY_DATA_DIR to another folder`,
      );
    }
    await removeStale(file, owner);
  }
  throw new StartupError(`several processes are starting on ${dataDir} at the same time`);
}

async function createExclusive(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o644 });
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw new StartupError(
      `the data folder ${path.dirname(file)} cannot be written to: ${reasonOf(cause)}. Set PARLEY_DATA_DIR to a folder you may write to`,
      { cause },
    );
  }
}

async function isStale(file: string, owner: string): Promise<boolean> {
  if (owner === '') {
    const age = await stat(file).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    return age > EMPTY_FILE_MS;
  }
  const [, pid, startedAt] = /^(\d+) (.*)$/.exec(owner) ?? [];
  return pid === undefined || processStartTime(Number(pid)) !== startedAt;
}

/** By rename, which one of two processes wins; a file made in between is put back. */
async function removeStale(file: string, owner: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) === owner) await rm(aside, { force: true });
    else await rename(aside, file);
  } catch {
    // The other was faster; the caller looks again.
  }
}

/**
 * When a process started, in the system's own words; undefined when there is none. Together with the
 * pid it names a process for good: a pid alone is soon another process, in a container at once.
 */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // Field 22; field 2 is the program's name in brackets and may hold spaces.
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
