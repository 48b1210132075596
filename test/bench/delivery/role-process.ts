import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import heapFlags from '../../../bin/heap-flags.json' with { type: 'json' };
import { freePort } from '../../free-port.ts';
import { until } from '../../until.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const READY_MS = 60_000;
const API_KEY = `parley_${'k'.repeat(40)}`;

/**
 * One role of Parley in a process of its own. Not `startRole` of the tests, which reads the log to
 * search it: at a thousand requests a second that costs more CPU than some of what is measured.
 */
export type RoleProcess = {
  pid: number;
  metricsUrl: string;
  /** SIGTERM, then waits. */
  stop: () => Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  kill: () => Promise<void>;
};

export type RoleOptions = {
  databaseUrl: string;
  port: number;
  /** Where the log goes: `/dev/null`, or a folder for `--logs`. */
  logs?: string | undefined;
  /** Where V8 writes a CPU profile when the process ends. */
  profiles?: string | undefined;
};

export const apiKey = API_KEY;

export async function startRoleProcess(
  role: 'api' | 'delivery' | 'operator',
  options: RoleOptions,
): Promise<RoleProcess> {
  const metricsPort = await freePort();
  const log = openSync(
    options.logs === undefined
      ? '/dev/null'
      : path.join(options.logs, `${role}-${metricsPort}.log`),
    'a',
  );
  const profile =
    options.profiles === undefined
      ? []
      : [
          '--cpu-prof',
          `--cpu-prof-dir=${options.profiles}`,
          `--cpu-prof-name=${role}-${metricsPort}.cpuprofile`,
        ];
  const child = spawn(process.execPath, [...heapFlags, ...profile, 'src/main.ts', role], {
    cwd: ROOT,
    env: { ...environment(options), PARLEY_METRICS_PORT: String(metricsPort) },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const metricsUrl = `http://127.0.0.1:${metricsPort}`;
  const dismiss = holdLeash(child);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve())).finally(
    dismiss,
  );
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  // To read what it logs would cost the measured process.
  const isOver = async (): Promise<boolean> =>
    child.exitCode !== null || (await isReady(metricsUrl));
  await until(role, isOver, { timeoutMs: READY_MS }).catch(() => undefined);
  if (!(await isReady(metricsUrl))) {
    await end('SIGKILL');
    throw new Error(`${role} did not start; --logs=FOLDER keeps what it said`);
  }
  return {
    pid: child.pid ?? 0,
    metricsUrl,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Ends the role when the benchmark ends, however: the shell reads from a pipe that only we hold. */
function holdLeash({ pid }: ChildProcess): () => void {
  const script = 'read -r _; kill -KILL "$1"';
  const leash = spawn('/bin/sh', ['-c', script, 'leash', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  leash.stdin.on('error', () => undefined);
  leash.unref();
  return () => void leash.kill('SIGKILL');
}

function environment({ databaseUrl, port }: RoleOptions): Record<string, string | undefined> {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    DATABASE_URL: databaseUrl,
    PARLEY_STORE: 'postgres',
    PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
    PARLEY_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(port),
    PARLEY_API_KEY: API_KEY,
    PARLEY_RATE_LIMIT: '0',
    // The benches have more endpoints than the quota's default.
    PARLEY_QUOTA_WEBHOOK_ENDPOINTS: '0',
    PARLEY_LOG_LEVEL: 'info',
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`);
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
