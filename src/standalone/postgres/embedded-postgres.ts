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
  /** Made if missing. Holds `postgres/` (the cluster), `postgres.password`, `postgres.log`. */
  dataDir: string;
  log: Logger;
  /** Server settings on top of ours, such as `{ fsync: 'off' }` in tests. */
  settings?: Readonly<Record<string, string>>;
  /** How root makes a user namespace: the program, default `unshare`; tests name one that fails. */
  unshare?: string;
  /** The server died. It is being restarted on the same port; until `onUp`, expect refusals. */
  onDown?: () => void;
  onUp?: () => void;
};

/** `url` stays valid until `stop()`, across restarts of the server; its user may do everything. */
export type EmbeddedPostgres = {
  /** Throws StartupError, with one line that says what to do, for all that a user can cause. */
  start: () => Promise<{ url: string }>;
  /** Waits for the server to be gone; may be called at any time and more than once. */
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
 * A PostgreSQL of our own for `parley start` (contract/running.md#postgresql), from the binaries of the npm package.
 * Not that package's class: its exit hook stops the server while we still drain, and it neither
 * restarts a killed server nor survives our own `kill -9`.
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
    const server = await starting?.catch(() => undefined); // Its caller has the error.
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

/** Whoever gives up durability of the data has no use for that of the empty cluster. */
const fastInit = (deps: EmbeddedPostgresDeps) => ({ sync: deps.settings?.['fsync'] !== 'off' });

/**
 * Tries again for the two obstacles that pass: another process took the port after we looked, or
 * processes of a server that was killed still hold its shared memory.
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

/** Restarts the server whenever it ends, until `stopped`; never rejects. */
async function supervise(deps: EmbeddedPostgresDeps, server: Server, stopped: AbortSignal) {
  const { log } = deps;
  const aborted = new Promise<void>((resolve) => {
    if (stopped.aborted) resolve();
    stopped.addEventListener('abort', () => resolve(), { once: true });
  });
  while (!stopped.aborted) {
    const ended = await Promise.race([server.postmaster.ended, aborted]);
    if (ended === undefined || stopped.aborted) return;
    log.warn({ ended }, 'PostgreSQL ended by itself; restarting it');
    deps.onDown?.();
    await relaunch(deps, server, stopped);
    if (stopped.aborted) return;
    log.info('PostgreSQL is back');
    deps.onUp?.();
  }
}

/** Tries for ever: the old server's processes may hold its shared memory, the disk may be full. */
async function relaunch(deps: EmbeddedPostgresDeps, server: Server, stopped: AbortSignal) {
  for (let pauseMs = RESTART_PAUSE_MS; !stopped.aborted; pauseMs *= 1.5) {
    try {
      server.postmaster = await launchPostmaster(server.launch);
      return;
    } catch (error) {
      if (stopped.aborted) return;
      deps.log.warn({ reason: reasonOf(error) }, 'PostgreSQL does not start yet; trying again');
    }
    await delay(Math.min(pauseMs, RESTART_PAUSE_LIMIT_MS), { signal: stopped }).catch(
      () => undefined, // Only by `stopped`, which the loop looks at.
    );
  }
}

/**
 * Below the range from which Linux (32768) and macOS (49152) take the ports of outgoing
 * connections: while the server restarts, a client's reconnect could otherwise be given the very
 * port it dials, connect to itself and keep the server out.
 */
const FIRST_PORT = 15_000;
const PORT_COUNT = 17_000;

/** A free port of 127.0.0.1, the same for the same `name` as long as nobody else takes it. */
async function freePort(name: string): Promise<number> {
  const start = createHash('sha256').update(name).digest().readUInt32BE();
  for (let step = 0; step < PORT_COUNT; step += 1) {
    // 7 steps apart: neighbours of a busy port are often busy.
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
