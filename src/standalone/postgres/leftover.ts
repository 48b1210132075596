import { execFileSync } from 'node:child_process';
import { readFile, readlink, realpath, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { delay } from '../../clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { codeOf, StartupError } from '../../errors.ts';
import { processStartTime } from './owner.ts';

const POLL_MS = 20;
/** Shutdown steps: first a clean shutdown, then one that leaves recovery to the next start, then a kill. */
const STEPS = [
  { signal: 'SIGINT', waitMs: 20_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/**
 * Stops a server that is still running after its `parley start` has ended. Call this only after `ownFolder`, which
 * ensures that no other `parley start` uses the cluster. The function sends the signals itself, because pg_ctl refuses
 * to run as root.
 */
export async function stopLeftover(deps: { cluster: string; log: Logger }): Promise<void> {
  const { cluster, log } = deps;
  const file = path.join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await read(file), 10);
  if (!(pid > 0)) return;
  if (processStartTime(pid) !== undefined && (await isPostmasterOf(pid, cluster))) {
    log.warn({ pid }, 'stopping a PostgreSQL server that an earlier start left running');
    await stopPostmaster(pid, cluster);
  }
  await disown(file);
}

async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  for (const { signal, waitMs } of STEPS) {
    if (!kill(pid, signal, cluster) || (await isGone(pid, waitMs))) return;
  }
  throw new StartupError(
    `PostgreSQL (pid ${pid}) is still running on ${cluster} and does not stop`,
  );
}

/**
 * Replaces the pid in the lock file with the pid of this process. After a crash, the old pid may belong to another
 * process (in a container it nearly always does) or to a zombie, and PostgreSQL would refuse to start. If the pid is
 * that of its parent process, PostgreSQL treats the file as stale but still checks the shared memory that the file
 * names. Deleting the file would disable that check.
 */
async function disown(file: string): Promise<void> {
  const content = await read(file); // Reads the file again, because a server that stopped cleanly has removed it.
  if (!isListed(Number.parseInt(content, 10))) return;
  const draft = `${file}.parley`;
  await writeFile(draft, content.replace(/^\d+/, String(process.pid)));
  await rename(draft, file);
}

/**
 * Returns whether PostgreSQL would consider the process to be running. A zombie counts as running, but a process of
 * another user does not.
 */
function isListed(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/**
 * Returns whether a pid is the cluster's postmaster. The working directory of a postmaster is its data folder. On
 * systems without /proc, its command line is checked instead.
 */
async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  try {
    if (process.platform === 'linux') {
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
    }
    const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return command.includes(`-D ${cluster}`);
  } catch {
    return false;
  }
}

function kill(pid: number, signal: NodeJS.Signals, cluster: string): boolean {
  try {
    return process.kill(pid, signal);
  } catch (cause) {
    if (codeOf(cause) === 'ESRCH') return false;
    throw new StartupError(`another user's PostgreSQL (pid ${pid}) runs on ${cluster}`, { cause });
  }
}

async function isGone(pid: number, waitMs: number): Promise<boolean> {
  const startedAt = processStartTime(pid);
  // Polls, because Node reports the end of child processes only, and the server is no child of this process.
  for (let waited = 0; waited < waitMs; waited += POLL_MS) {
    if (startedAt === undefined || processStartTime(pid) !== startedAt) return true;
    await delay(POLL_MS);
  }
  return false;
}
