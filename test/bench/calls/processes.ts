import { readdir, readFile } from 'node:fs/promises';

/** How much of a core processes take meanwhile, in percent; those that end meanwhile count for nothing. */
export async function cpuShare(
  pids: () => Promise<number[]>,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const before = await cpuSecOf(await pids());
  const startMs = performance.now();
  await meanwhile();
  let sec = 0;
  for (const [pid, now] of await cpuSecOf(await pids())) sec += now - (before.get(pid) ?? 0);
  return (sec / (performance.now() - startMs)) * 100_000;
}

/** Of each of these processes that is there, and no child of it, in seconds. */
async function cpuSecOf(pids: number[]): Promise<Map<number, number>> {
  const all = new Map<number, number>();
  for (const pid of pids) {
    const fields = (await readIfThere(`/proc/${pid}/stat`)).split(') ')[1]?.split(' ');
    if (fields) all.set(pid, (Number(fields[11]) + Number(fields[12])) / 100);
  }
  return all;
}

/** What a process holds, MB, with what it shares. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readIfThere(`/proc/${pid}/status`);
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

/** What processes hold, MB: what several of them share counts once. */
export async function heldMb(pids: number[]): Promise<number> {
  let kb = 0;
  for (const pid of pids) {
    const rollup = await readIfThere(`/proc/${pid}/smaps_rollup`);
    kb += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return kb / 1_024;
}

/** A process and all that it has started, and they. */
export async function treeOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    const stat = await readIfThere(`/proc/${name}/stat`);
    const parent = Number(stat.split(') ')[1]?.split(' ')[1]);
    if (/^\d+$/.test(name) && parent > 0) parents.set(Number(name), parent);
  }
  const below = (pid: number): number[] => [
    pid,
    ...[...parents].flatMap(([child, parent]) => (parent === pid ? below(child) : [])),
  ];
  return below(root);
}

const readIfThere = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
