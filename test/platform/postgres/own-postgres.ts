import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../../src/standalone/postgres/embedded-postgres.ts';
import { temporaryFolder } from '../../roles/parley-process.ts';
import { copyCluster } from './made-cluster.ts';

/** A PostgreSQL of a test's own, durable as users have it, to be killed and stopped. Its database `postgres` has the schema. */
export type OwnPostgres = {
  /** Of the superuser. */
  url: string;
  port: number;
  /** Holds `postgres/`, the cluster, and `postgres.log`. */
  folder: string;
  /** Of the server of now: it is started again whenever it ends. */
  pid: () => Promise<number>;
  /**
   * SIGKILL: as a crash. SIGQUIT: an immediate shutdown. Resolves with the moment (of
   * `performance.now`) at which the server that follows accepts connections.
   */
  kill: (signal: 'SIGKILL' | 'SIGQUIT') => Promise<number>;
  /** For good, as if its machine were gone: no connection is closed in order. */
  destroy: () => Promise<void>;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** What it said. */
  log: () => Promise<string>;
  stop: () => Promise<void>;
};

/** @param options.folder an existing one stays; without, a temporary one that `stop` removes */
export async function startOwnPostgres(
  options: { settings?: Record<string, string>; folder?: string } = {},
): Promise<OwnPostgres> {
  const temporary = options.folder === undefined ? await temporaryFolder() : undefined;
  const folder = options.folder ?? temporary!.path;
  if (!existsSync(path.join(folder, 'postgres'))) await copyCluster(folder, { migrated: true });
  const waiting = new Set<(atMs: number) => void>();
  const server = createEmbeddedPostgres({
    dataDir: folder,
    log: pino({ level: 'silent' }),
    settings: {
      // Else the roles refuse it.
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

/** On a connection of its own: what the tests do to the others does not concern it. */
export async function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' });
  client.on('error', () => undefined); // Its server may be killed; the statement fails then.
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
