import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../../src/standalone/postgres/embedded-postgres.ts';
import type { FaultProxy } from '../fault-proxy.ts';
import { queryOnce, type OwnPostgres } from './own-postgres.ts';
import { temporaryFolder } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';

/** A second PostgreSQL that follows the first one. Created with the server alone, without pg_basebackup. */
export type Standby = {
  port: number;
  /** URL of a superuser. Read-only until promoted. */
  url: string;
  /** Resolves when it accepts writes. */
  promote: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Files that belong to the running server and not to its data. The last one is a cache that the server may rebuild at
 * any time, so it may vanish during the copy.
 */
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_internal\.init.*)$/;

const FOLLOWS = { timeoutMs: 30_000, everyMs: 50 };

/**
 * Starts a standby. Resolves when it streams.
 * @param link the connection from the standby to the primary
 */
export async function startStandby(primary: OwnPostgres, link: FaultProxy): Promise<Standby> {
  const folder = await temporaryFolder();
  await copyCluster(primary, folder.path);
  const { username, password } = new URL(primary.url);
  const conninfo = `host=127.0.0.1 port=${link.port} user=${username} password=${password} application_name=standby`;
  const server = createEmbeddedPostgres({
    dataDir: folder.path,
    log: pino({ level: 'silent' }),
    settings: { primary_conninfo: conninfo },
  });
  // `start` waits until the server accepts writes.
  const promoted = server.start();
  promoted.catch(() => undefined); // `promote` throws it.
  await until(
    'the standby to follow',
    async () => {
      const rows = await primary.query(
        `select 1 from pg_stat_replication where application_name = 'standby' and state = 'streaming'`,
      );
      return rows.length > 0;
    },
    FOLLOWS,
  );
  const port = await readPort(folder.path);
  const url = new URL(primary.url);
  url.port = String(port);
  return {
    port,
    url: url.href,
    promote: async () => {
      await queryOnce(url.href, 'select pg_promote(true, 30)');
      await promoted;
    },
    stop: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}

/** Copies the cluster by the manual's low-level backup. The session that began it has to end it. */
async function copyCluster(primary: OwnPostgres, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', fast => true)`);
    const from = path.join(primary.folder, 'postgres');
    const to = path.join(folder, 'postgres');
    const filter = (file: string): boolean => !LEFT_OUT.test(path.basename(file));
    await cp(from, to, { recursive: true, filter, mode: 0, preserveTimestamps: true });
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
    );
    await writeFile(path.join(to, 'backup_label'), rows[0]!.label);
    await writeFile(path.join(to, 'standby.signal'), '');
  } finally {
    await client.end();
  }
  const password = 'postgres.password';
  await copyFile(path.join(primary.folder, password), path.join(folder, password));
}

/** Returns the port, which is the fourth line of the server's own file. */
async function readPort(folder: string): Promise<number> {
  const text = await readFile(path.join(folder, 'postgres/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[3]);
}
