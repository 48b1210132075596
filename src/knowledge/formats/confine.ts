import { execFile, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { promisify } from 'node:util';

/** Resident; a little above what is looked at from outside. */
const MEMORY_BYTES_MAX = 244_000_000;
const NICE = 10;

/**
 * Once it has loaded its code: it may take little more memory, also in one piece between two looks,
 * and open nothing any more, neither file nor connection. Where there is no `prlimit`, looking remains.
 */
export async function confine(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || process.platform !== 'linux') return;
  try {
    const spare = Math.max(0, MEMORY_BYTES_MAX - statusOf(child, 'VmRSS'));
    const data = statusOf(child, 'VmData') + spare;
    const open = readdirSync(`/proc/${pid}/fd`).length;
    const limits = [`--data=${data}`, `--nofile=${open}`, '--fsize=0', '--core=0'];
    await promisify(execFile)('prlimit', ['--pid', String(pid), ...limits], { timeout: 5_000 });
    // Each thread of it: where cores are short, requests are answered first.
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), NICE);
  } catch {
    // The system has no such program, or the child is gone, which is told by itself.
  }
}

/** A line of its status, in bytes; 0 where there is none. */
function statusOf({ pid }: ChildProcess, field: 'VmRSS' | 'VmData'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** 0 where the system does not say. */
export const residentBytes = (child: ChildProcess): number => statusOf(child, 'VmRSS');
