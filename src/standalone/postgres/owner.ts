import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, reasonOf, StartupError } from '../../errors.ts';

const TRIES = 50;
/** Zombie and dead, as Linux says it. */
const ENDED = new Set(['Z', 'X', 'x']);

/**
 * Makes this process the only one that uses `dataDir`, by a file that names it (contract/running.md#data-folder), and
 * the folder if it is missing. Resolves to the release. Throws StartupError with the owner's pid
 * when another process has the folder; a file left by one that was killed counts for nothing.
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
        `the data folder ${dataDir} is in use by another parley (pid ${owner.split(' ')[0]}): stop that one, or set PARLEY_DATA_DIR to another folder`,
      );
    }
    await removeStale(file, owner);
  }
  throw new StartupError(`several processes are starting on ${dataDir} at the same time`);
}

async function makeFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StartupError(
      `the data folder ${dataDir} cannot be made: ${reasonOf(cause)}. Set PARLEY_DATA_DIR to a folder you may write to`,
      { cause },
    );
  }
}

/** Written under another name and linked: never seen empty, and a link replaces no file. */
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

/** Whatever does not name a process that runs: after a power cut the file can be empty. */
function isStale(owner: string): boolean {
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
 * When a process started, in the system's own words; undefined when none runs. Together with the
 * pid it names a process for good: a pid alone is soon another process, in a container at once.
 *
 * On Linux a zombie, which has ended and was not reaped by its parent, counts as gone: where pid 1
 * reaps nobody it stays for ever. Elsewhere what `ps` lists runs.
 */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // From field 3 on; field 2 is the program's name in brackets and may hold spaces.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
      return ENDED.has(fields?.[0] ?? '') ? undefined : fields?.[19]; // Fields 3 and 22.
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
