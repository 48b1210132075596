import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../../src/standalone/postgres/embedded-postgres.ts';
import { temporaryFolder } from '../../roles/parley-process.ts';
import { memoryFolder } from '../../memory-folder.ts';
import { copyCluster } from './made-cluster.ts';

/**
 * A PostgreSQL for one test, as durable as users have it, which can be killed and stopped. Its database `postgres` has
 * the schema.
 */
export type OwnPostgres = {
  /** URL of the superuser. */
  url: string;
  port: number;
  /** Contains `postgres/`, the cluster, and `postgres.log`. */
  folder: string;
  /** Returns the process id of the current server. The server restarts whenever it ends. */
  pid: () => Promise<number>;
  /**
   * Sends SIGKILL, like a crash, or SIGQUIT for an immediate shutdown. Resolves to the time (of `performance.now`) when
   * the next server accepts connections.
   */
  kill: (signal: 'SIGKILL' | 'SIGQUIT') => Promise<number>;
  /** Ends the server permanently, as if its machine were lost: it closes no connection in an orderly way. */
  destroy: () => Promise<void>;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Returns the log. */
  log: () => Promise<string>;
  stop: () => Promise<void>;
};

/**
 * Starts a server.
 * @param options.folder an existing folder stays; without one, `stop` removes a temporary folder
 * @param options.inMemory for a server whose disk is not tested
 */
export async function startOwnPostgres(
  options: { settings?: Record<string, string>; folder?: string; inMemory?: boolean } = {},
): Promise<OwnPostgres> {
  const temporary =
    options.folder === undefined
      ? await temporaryFolder(options.inMemory ? memoryFolder() : undefined)
      : undefined;
  const folder = options.folder ?? temporary!.path;
  if (!existsSync(path.join(folder, 'postgres'))) await copyCluster(folder, { migrated: true });
  const waiting = new Set<(atMs: number) => void>();
  const server = createEmbeddedPostgres({
    dataDir: folder,
    log: pino({ level: 'silent' }),
    settings: {
      // Otherwise the roles refuse the server.
      ...(options.settings?.['fsync'] === 'off' && { 'parley.may_lose_data': 'on' }),
      ...options.settings,
    },
    onUp: () => {
      for (const resolve of waiting) resolve(performance.now());
      waiting.clear();
    },
  });
  const { url } = await server.start();
  const pid = (): Promise<number> => postmasterPid(folder);
  return {
    url,
    port: Number(new URL(url).port),
    folder,
    pid,
    kill: async (signal) => {
      const back = new Promise<number>((resolve) => waiting.add(resolve));
      process.kill(await pid(), signal);
      return back;
    },
    destroy: async () => {
      process.kill(await pid(), 'SIGKILL');
      await server.stop();
    },
    query: (text, values) => queryOnce(url, text, values),
    log: () => readFile(path.join(folder, 'postgres.log'), 'utf8'),
    stop: async () => {
      await server.stop();
      await temporary?.remove();
    },
  };
}

/** Runs a statement on a separate connection, which the faults of the tests do not affect. */
export async function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' });
  client.on('error', () => undefined); // If the server is killed, the statement fails.
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterPid(folder: string): Promise<number> {
  const text = await readFile(path.join(folder, 'postgres/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}
