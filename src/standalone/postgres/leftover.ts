import { execFileSync } from 'node:child_process';
import { readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartupError } from '../../errors.ts';
import { processStartTime } from './owner.ts';
import { codeOf } from './reason.ts';

const POLL_MS = 20;
/** First a clean shutdown, then one that leaves recovery to the next start, then none at all. */
const STEPS = [
  { signal: 'SIGINT', waitMs: 20_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/**
 * Stops a server that outlived the `parley start` it belonged to. Call it only as the folder's owner:
 * whatever runs on the cluster then belongs to nobody. Signals and not pg_ctl, which refuses root.
 */
export async function stopLeftover(deps: { cluster: string; log: Logger }): Promise<void> {
  const { cluster, log } = deps;
  const file = path.join(cluster, 'postmaster.pid');
  const content = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(content, 10);
  // None, or dead: PostgreSQL itself waits for what the dead one left behind.
  if (!(pid > 0) || processStartTime(pid) === undefined) return;
  if (!(await isPostmasterOf(pid, cluster))) {
    // After a crash the pid can be another process by now, in a container it nearly always is, and
    // PostgreSQL would refuse to start. It takes its parent's pid for a stale one, and still checks
    // the shared memory named below; deleting the file would switch that check off.
    await writeFile(file, content.replace(/^\d+/, String(process.pid)));
    return;
  }
  log.warn({ pid }, 'stopping the PostgreSQL that an earlier start left running');
  for (const { signal, waitMs } of STEPS) {
    if (!kill(pid, signal, cluster) || (await isGone(pid, waitMs))) return;
  }
  throw new StartupError(`PostgreSQL (pid ${pid}) still runs on ${cluster} and does not stop`);
}

/** A postmaster works in its data folder; where that cannot be seen, its command line names it. */
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
  // It is not our child, so nothing tells us when it ends.
  for (let waited = 0; waited < waitMs; waited += POLL_MS) {
    if (startedAt === undefined || processStartTime(pid) !== startedAt) return true;
    await delay(POLL_MS);
  }
  return false;
}
