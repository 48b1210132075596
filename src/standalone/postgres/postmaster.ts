import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { delay } from '../../clock.ts';
import { StartupError } from '../../errors.ts';
import { POSTGRES_ENV, type PostgresAccount, withPrefix } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';
import type { ServerLog } from './log.ts';

export type LaunchOptions = {
  cluster: string;
  binaries: PostgresBinaries;
  account: PostgresAccount;
  password: string;
  settings: Readonly<Record<string, string>>;
  serverLog: ServerLog;
  port: number;
  /** Aborting this signal cancels a launch in progress. After the launch, use `stop` instead. */
  stopped: AbortSignal;
};

export type Postmaster = {
  /** Resolves when the server has ended for any reason. The result is a description for the log. */
  ended: Promise<string>;
  stop: () => Promise<void>;
};

/** Server process. Only its stderr is read. */
type ServerProcess = ChildProcessByStdio<null, null, Readable>;

const FAST_SHUTDOWN_MS = 30_000;
const IMMEDIATE_SHUTDOWN_MS = 5_000;
const LAST_OUTPUT_MS = 200;
const READY = 'database system is ready to accept connections';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '64MB',
  // Queue tables change constantly, and with a minute between vacuum runs they would bloat.
  autovacuum_naptime: '10s',
  // The statements are short, so compiling one costs more than running it.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // After a crash, PostgreSQL syncs all files before it replays the log. With syncfs, it makes one call per file
  // system, which takes 0.2 s. Without syncfs, it makes one call for each of a thousand files, which took 2 s on a busy
  // disk.
  ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
};

/** Launches the server. Resolves once it accepts connections. Throws StartupError if it ends before that. */
export async function launchPostmaster(options: LaunchOptions): Promise<Postmaster> {
  const child = spawnPostmaster(options);
  const release = holdLeash(child);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  }).finally(release);
  const stop = () => shutDown(child, ended);
  const abort = () => void stop();
  options.stopped.addEventListener('abort', abort);
  try {
    if (options.stopped.aborted) abort();
    const outcome = await Promise.race([saysReady(child, options.serverLog), ended]);
    if (outcome === READY && !options.stopped.aborted) return { ended, stop };
    await stop();
    await lastOutput(child);
    throw new StartupError(explain(options, outcome));
  } finally {
    options.stopped.removeEventListener('abort', abort);
  }
}

function spawnPostmaster(options: LaunchOptions): ServerProcess {
  const { account, binaries, cluster, port, settings } = options;
  const all = { ...SETTINGS, port: String(port), ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const line = withPrefix(account, [binaries.postgres, '-D', cluster, ...flags]);
  const [command = '', ...args] = line;
  return spawn(command, args, {
    ...account.spawnAs,
    env: POSTGRES_ENV,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    // The server gets its own session. Otherwise Ctrl-C in a terminal would stop it before this process has drained.
    detached: true,
  });
}

/**
 * Starts a shell that stops the server when this process dies, even by SIGKILL. Otherwise the server would run forever.
 * The shell reads from a pipe whose other end is held only by this process. Returns a function that ends the shell.
 */
function holdLeash(child: ChildProcess): () => void {
  if (child.pid === undefined) return () => undefined;
  const script = 'read -r _; kill -INT "$1"';
  const leash = spawn('/bin/sh', ['-c', script, 'parley-leash', String(child.pid)], {
    env: POSTGRES_ENV,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Errors of the shell are ignored, because the next start also stops a server that was left behind.
  leash.on('error', () => undefined);
  leash.stdin.on('error', () => undefined);
  leash.unref();
  return () => void leash.kill('SIGKILL');
}

/**
 * Waits until the server logs that it is ready. Connection attempts before that would fill the server's log with
 * refused connections.
 */
function saysReady(child: ServerProcess, log: ServerLog): Promise<string> {
  return new Promise((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log.write(chunk);
      if (chunk.includes(READY)) resolve(READY);
    });
  });
}

/**
 * Waits for the last output, which may arrive after the server exits. The wait is limited, because a remaining child
 * process would keep the pipe open.
 */
async function lastOutput(child: ServerProcess): Promise<void> {
  if (child.stderr.closed) return;
  const closed = new Promise<void>((resolve) => child.stderr.once('close', () => resolve()));
  await Promise.race([closed, delay(LAST_OUTPUT_MS)]);
}

/**
 * Shuts the server down: fast at first, then immediately (with recovery at the next start), then by force. Idempotent.
 */
async function shutDown(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const steps = [
    { signal: 'SIGINT', waitMs: FAST_SHUTDOWN_MS },
    { signal: 'SIGQUIT', waitMs: IMMEDIATE_SHUTDOWN_MS },
    { signal: 'SIGKILL', waitMs: IMMEDIATE_SHUTDOWN_MS },
  ] as const;
  for (const { signal, waitMs } of steps) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const timer = new AbortController();
    const late = delay(waitMs, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([ended, late]);
    timer.abort();
  }
  await ended;
}

function explain({ cluster, serverLog, stopped }: LaunchOptions, outcome: string): string {
  if (stopped.aborted) return 'stopped while PostgreSQL was starting';
  const fatal = serverLog.tail().findLast((line) => /FATAL|PANIC|could not/.test(line));
  return `PostgreSQL did not start on ${cluster} (${outcome}): ${fatal ?? serverLog.tail().at(-1) ?? 'no output'}`;
}
