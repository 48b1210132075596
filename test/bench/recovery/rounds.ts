import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import { timed } from '../figures.ts';

/** Repeats a fault; resolves with what each round measured. */
export async function inRounds(
  count: number,
  round: (index: number) => Promise<number>,
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) times.push(await round(i));
  return times;
}

/** Asks without a pause until this is the status; an API that cannot be reached has none. */
export function answers(
  { call }: Pick<Parley, 'call'>,
  status: number,
  [method, route, body]: readonly [method: string, route: string, body?: unknown],
): Promise<true> {
  const isIt = async (): Promise<true | undefined> => {
    const answer = await call(method, route, body).catch(() => undefined);
    return answer?.status === status || undefined;
  };
  return until(`${status} of ${method} ${route}`, isIt, { timeoutMs: 60_000, everyMs: 1 });
}

/** How long this machine takes to start a program that does nothing. */
export const bareProcess = (): Promise<number> =>
  timed(() => once(spawn(process.execPath, ['-e', '0']), 'exit'));
