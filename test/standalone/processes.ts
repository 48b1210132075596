import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { processStartTime } from '../../src/standalone/postgres/owner.ts';

/** Processes that are not ours to wait for. Their end sends no signal; the test's time-out bounds it. */

/**
 * A command under a parent that never asks what became of it, as a pid 1 that reaps nobody: when it
 * has ended it stays in the process table until the parent is killed.
 */
export function spawnUnreaped(
  command: readonly string[],
  env = process.env,
): ChildProcessByStdio<null, Readable, Readable> {
  // The shell becomes `sleep`, which has children without knowing of them, and leaves the pipes to them.
  const script = '"$@" & exec sleep 600 >&- 2>&-';
  return spawn('/bin/sh', ['-c', script, 'sh', ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // A group of its own, for endGroup.
  });
}

/** The parent and whatever it started, also of a test that ran out of time. */
export function endGroup({ pid }: { pid?: number | undefined }): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

/** As Linux shows it from its state on: R, S, D, Z …; none when there is no such process. */
export function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return [];
  }
}

export async function untilZombie(pid: number): Promise<void> {
  while (statOf(pid)[0] !== 'Z') await new Promise(setImmediate);
}

export async function untilGone(pid: number): Promise<void> {
  while (processStartTime(pid) !== undefined) await new Promise(setImmediate);
}

export function postmasterPid(dataDir: string): number {
  return Number.parseInt(
    readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
    10,
  );
}

/** The shell that would stop the server when its owner dies. */
export async function leashOf(owner: number): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (statOf(pid)[1] === String(owner) && command.includes('parley-leash')) return pid;
  }
  throw new Error(`process ${owner} has no leash`);
}

/** The user without rights. */
export const NOBODY = 65_534;

/** Whether root can run these programs as that user. It cannot run those of a checkout in root's home. */
export function canNobodyRun(...programs: readonly string[]): boolean {
  if (process.getuid?.() !== 0) return false;
  const as = { uid: NOBODY, gid: NOBODY };
  return programs.every((file) => spawnSync(file, ['--version'], as).status === 0);
}
