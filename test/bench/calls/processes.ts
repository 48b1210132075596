import { readdirSync } from 'node:fs';
import { readMemory, statOf } from '../delivery/cpu.ts';

/** How much of a core processes take meanwhile, in percent; those that end meanwhile count for nothing. */
export async function cpuShare(
  pids: () => number[],
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const secOf = (pid: number): number => statOf(pid)?.own ?? 0;
  const before = new Map(pids().map((pid) => [pid, secOf(pid)]));
  const startMs = performance.now();
  await meanwhile();
  const sec = pids().reduce(
    (sum, pid) => sum + Math.max(0, secOf(pid) - (before.get(pid) ?? 0)),
    0,
  );
  return (sec / (performance.now() - startMs)) * 100_000;
}

/** What processes hold, MB: what several of them share counts once. */
export function heldMb(pids: readonly number[]): number {
  // One that is gone holds nothing.
  return pids.reduce((sum, pid) => sum + (readMemory(pid).pss || 0), 0);
}

/** A process and all that it has started, and they. */
export function treeOf(root: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = all.map((name) => [Number(name), statOf(Number(name))?.parent] as const);
  const below = (pid: number): number[] => [
    pid,
    ...parents.flatMap(([child, parent]) => (parent === pid ? below(child) : [])),
  ];
  return below(root);
}
