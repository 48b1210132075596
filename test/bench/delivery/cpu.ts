import { readFileSync, readdirSync } from 'node:fs';

/** CPU by process as the kernel counts it (utime + stime, in ticks of 10 ms), and the machine's. */

const TICK_SEC = 0.01;

/** A group of processes; `withChildren`: also their living and ended children (PostgreSQL). */
export type Group = { pids: number[]; withChildren?: boolean };

export type Reading = {
  atMs: number;
  /** CPU-s by group */
  groups: Record<string, number>;
  machine: { busy: number; steal: number; total: number };
};

export function readCpu(groups: Record<string, Group>): Reading {
  return {
    atMs: performance.now(),
    groups: Object.fromEntries(Object.entries(groups).map(([name, of]) => [name, groupSec(of)])),
    machine: readMachine(),
  };
}

export type Spent = {
  seconds: number;
  /** CPU-s by group */
  groups: Record<string, number>;
  /** Of the machine's time, what the hypervisor gave to others: 0 … 1 */
  steal: number;
  /** Cores taken by processes outside of `groups`. */
  foreignCores: number;
};

export function spentBetween(before: Reading, after: Reading): Spent {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const groups = Object.fromEntries(
    // A process that was killed meanwhile takes its count with it.
    Object.entries(after.groups).map(([name, sec]) => [
      name,
      Math.max(0, sec - (before.groups[name] ?? 0)),
    ]),
  );
  const ours = Object.values(groups).reduce((sum, sec) => sum + sec, 0);
  const busy = after.machine.busy - before.machine.busy;
  const total = after.machine.total - before.machine.total;
  return {
    seconds,
    groups,
    steal: (after.machine.steal - before.machine.steal) / total,
    foreignCores: Math.max(0, (busy - ours) / seconds),
  };
}

function groupSec({ pids, withChildren = false }: Group): number {
  if (!withChildren) return pids.reduce((sum, pid) => sum + (statOf(pid)?.own ?? 0), 0);
  // What a child has used moves to the parent's count when it ends.
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = all.map((pid) => statOf(Number(pid))).filter((stat) => stat !== undefined);
  return pids.reduce((sum, pid) => {
    const own = statOf(pid);
    const living = children.filter(({ parent }) => parent === pid);
    return (
      sum + (own?.own ?? 0) + (own?.ended ?? 0) + living.reduce((total, one) => total + one.own, 0)
    );
  }, 0);
}

/** Of a process: its parent, and CPU-s of it and of its ended children. undefined: it is gone. */
export function statOf(pid: number): { parent: number; own: number; ended: number } | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  // The name, in parentheses, may hold spaces.
  const fields = text?.slice(text.lastIndexOf(') ') + 2).split(' ');
  if (fields === undefined) return undefined;
  const ticks = (from: number): number =>
    (Number(fields[from]) + Number(fields[from + 1])) * TICK_SEC;
  return { parent: Number(fields[1]), own: ticks(11), ended: ticks(13) };
}

function readMachine(): Reading['machine'] {
  const line = readProc('/proc/stat')?.split('\n', 1)[0] ?? '';
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, soft = 0, steal = 0] =
    ticks;
  const busy = user + nice + system + irq + soft;
  return {
    busy: busy * TICK_SEC,
    steal: steal * TICK_SEC,
    total: (busy + idle + iowait + steal) * TICK_SEC,
  };
}

/** What a process holds, in MB: all of it, and its share of what it has in common with others. */
export function readMemory(pid: number): { rss: number; pss: number } {
  const kb = (text: string | undefined, name: RegExp): number =>
    Number(name.exec(text ?? '')?.[1] ?? NaN) / 1_024;
  return {
    rss: kb(readProc(`/proc/${pid}/status`), /VmRSS:\s+(\d+)/),
    pss: kb(readProc(`/proc/${pid}/smaps_rollup`), /Pss:\s+(\d+)/),
  };
}

/** The parent of a process: PostgreSQL's postmaster from the pid of a session. */
export function parentOf(pid: number): number {
  return statOf(pid)?.parent ?? 0;
}

/** undefined: the process has ended meanwhile. */
function readProc(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
