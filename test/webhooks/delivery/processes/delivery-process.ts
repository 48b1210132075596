import { spawn, type StdioOptions } from 'node:child_process';
import path from 'node:path';
import heapFlags from '../../../../bin/heap-flags.json' with { type: 'json' };
import { bundledMain } from '../../../bundled-main.ts';
import { COMPILE_CACHE } from '../../../compile-cache.ts';
import { freePort } from '../../../free-port.ts';
import { until } from '../../../until.ts';

/** A delivery process with limits that a test sets, and signals that it sends. */
export type DeliveryProcess = {
  pid: number;
  output: () => string;
  /** Whether it has ended, and how. */
  end: () => End | undefined;
  ended: Promise<End>;
  /** Resolves when it is ready; rejects when it ends before. */
  ready: Promise<void>;
  signal: (signal: NodeJS.Signals) => void;
  /** SIGKILL; resolves with the moment at which it was gone. */
  kill: () => Promise<number>;
  /** SIGTERM. */
  stop: () => Promise<End>;
  metrics: () => Promise<string>;
  /** Of one sample, 0 when there is none. */
  metric: (sample: string) => Promise<number>;
  metricsPort: number;
};

export type End = { code: number | null; signal: NodeJS.Signals | null; atMs: number };

export type DeliveryProcessOptions = {
  databaseUrl: string;
  failpoints?: string;
  /** After those of bin/heap-flags.json. */
  nodeFlags?: string[];
  /** Descriptors it may have open (`ulimit -n`). */
  openFiles?: number;
  /** Where its stderr goes, an open descriptor; default: it is read here. */
  stderr?: number;
  env?: Record<string, string>;
};

export const ENCRYPTION_KEY = Buffer.alloc(32, 3);

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const READY = { timeoutMs: 60_000, everyMs: 25 };

export async function startDeliveryProcess(
  options: DeliveryProcessOptions,
): Promise<DeliveryProcess> {
  const metricsPort = await freePort();
  const node = [
    process.execPath,
    ...heapFlags,
    ...(options.nodeFlags ?? []),
    await bundledMain(),
    'delivery',
  ];
  const limit = options.openFiles === undefined ? [] : [`ulimit -n ${options.openFiles}`];
  const command = [...limit, 'exec "$0" "$@"'].join(' && ');
  const stdio: StdioOptions = ['ignore', 'ignore', options.stderr ?? 'pipe'];
  const child = spawn('/bin/sh', ['-c', command, ...node], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: options.databaseUrl,
      PARLEY_ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
      PARLEY_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
      PARLEY_HOST: '127.0.0.1',
      PARLEY_METRICS_PORT: String(metricsPort),
      PARLEY_FAILPOINTS: options.failpoints ?? '',
      ...options.env,
    },
    stdio,
  });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const life: { end?: End } = {};
  const ended = new Promise<End>((resolve) => {
    child.once('exit', (code, signal) => {
      life.end = { code, signal, atMs: performance.now() };
      resolve(life.end);
    });
  });
  const ask = (route: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${metricsPort}${route}`, { headers: { connection: 'close' } });
  async function becomeReady(): Promise<void> {
    // A test that takes its log elsewhere asks like kubelet.
    const isReady = async (): Promise<boolean> =>
      life.end !== undefined ||
      (child.stderr
        ? output.includes('"msg":"ready"')
        : (await ask('/readyz').catch(() => undefined))?.ok === true);
    await until(() => `a delivery process to be ready:\n${output}`, isReady, READY);
    if (life.end !== undefined)
      throw new Error(`a delivery process ended with ${JSON.stringify(life.end)}:\n${output}`);
  }
  const ready = becomeReady();
  ready.catch(() => undefined); // Whoever awaits it gets the error.
  const metrics = async (): Promise<string> => (await ask('/metrics')).text();
  return {
    pid: child.pid ?? 0,
    output: () => output,
    end: () => life.end,
    ended,
    ready,
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL');
      return (await ended).atMs;
    },
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    metrics,
    metric: async (sample) => {
      const line = (await metrics()).split('\n').find((line) => line.startsWith(`${sample} `));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
    metricsPort,
  };
}
