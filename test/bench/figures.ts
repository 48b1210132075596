import { readFileSync } from 'node:fs';
import type { Parley } from '../roles/parley-process.ts';

/** How a benchmark paces what it does and prints what it saw. */

/** Requests at their times whatever the answers take, so a stall is measured and not skipped. */
export async function openLoop<T>(
  plan: { rate: number; seconds: number },
  act: () => Promise<T>,
): Promise<T[]> {
  const running: Promise<T>[] = [];
  const startedMs = performance.now();
  for (let i = 0; i < plan.rate * plan.seconds; i += 1) {
    const dueMs = startedMs + (i * 1_000) / plan.rate;
    while (performance.now() < dueMs) await new Promise((resolve) => setTimeout(resolve, 1));
    running.push(act());
  }
  return Promise.all(running);
}

export function distribution(values: number[]): string {
  const at = (q: number): string => ms(quantile(values, q));
  return `p50 ${at(0.5)}  p90 ${at(0.9)}  p99 ${at(0.99)}  max ${at(1)}  (n=${values.length})`;
}

export function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
}

export function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

export function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(52)} ${figure}\n`);
}

/** What a process holds, as the system counts it; `peak`: the most it ever held. */
export function residentMemory(pid: number, { peak = false } = {}): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kb = Number((peak ? /VmHWM:\s+(\d+)/ : /VmRSS:\s+(\d+)/).exec(status)?.[1]);
  return `${Math.round(kb / 1_024)} MB${peak ? ' at most' : ''}`;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** How long this machine takes for a request that reads a page of a list. */
export async function bareRequests({ call }: Pick<Parley, 'call'>): Promise<number[]> {
  const times: number[] = [];
  while (times.length < 100) times.push(await timed(() => call('GET', '/v1/agents')));
  return times;
}
