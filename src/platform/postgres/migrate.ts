import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { reasonOf, StartupError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { Logger } from '../observability/logger.ts';
import { tlsAdvice } from './database-url.ts';
import { retryingLock, LOCK_TIMEOUT_MS } from './lock-retry.ts';
import { createClient } from './pool.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../migrations');
const TABLE = 'schema_migrations';
/** Key of the advisory lock. The numbers are arbitrary but unique in this database. */
const LOCK = [0x7061, 0x726c];
const MINIMUM_SERVER_VERSION = 150_000;

/**
 * Applies all pending migrations. Any number of processes may call it concurrently: one of them works and the others
 * wait. There are no down migrations, and the file of a released migration is never edited.
 */
export async function migrate(deps: { databaseUrl: string; log: Logger }): Promise<void> {
  const client = await connected(deps.databaseUrl);
  try {
    await checkServer(client);
    await client.query('select pg_advisory_lock($1, $2)', LOCK);
    if (!(await isCurrent(client))) await applyMigrations(client, deps.log);
  } finally {
    await client.end();
  }
}

async function applyMigrations(client: pg.Client, log: Logger): Promise<void> {
  // Imported only when needed, so that a normal start with an up-to-date schema does not load the library.
  const { runner } = await import('node-pg-migrate');
  // Applies the next migration in its own transaction. Locks are therefore held for one migration only, and if the
  // process is killed, the next process continues with the next migration.
  const applyNext = async (): Promise<string[]> => {
    try {
      const applied = await runner({
        dbClient: client,
        dir: FOLDER,
        direction: 'up',
        count: 1,
        migrationsTable: TABLE,
        noLock: true, // The lock above waits for other processes, whereas the runner's own lock would fail.
        log: () => undefined,
      });
      return applied.map(({ name }) => name);
    } catch (error) {
      // The runner leaves its transaction open after an error, so it is rolled back here.
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };
  await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  for (;;) {
    const applied = await retryingLock(applyNext);
    if (applied.length === 0) break;
    log.info({ migrations: applied }, 'schema migrated');
    await failpoint('migration.applied');
  }
  await client.query('reset lock_timeout');
}

/**
 * Checks that all migrations have been applied.
 * @throws StartupError if the schema is not up to date, or the database cannot be reached
 */
export async function assertMigrated(databaseUrl: string): Promise<void> {
  const client = await connected(databaseUrl);
  try {
    if (await isCurrent(client)) return;
    throw new StartupError('the database schema is not up to date: run `parley migrate` first');
  } finally {
    await client.end();
  }
}

/**
 * Connects to the database.
 * @throws StartupError that names the database without its password
 */
async function connected(databaseUrl: string): Promise<pg.Client> {
  const client = createClient(databaseUrl);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { host, pathname } = new URL(databaseUrl);
    // If connecting failed for several addresses, the first error is enough.
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
    const where = `${host || 'localhost'}${pathname}`;
    const advice = tlsAdvice(first);
    const what = `DATABASE_URL: cannot connect to ${where}: ${reasonOf(first)}`;
    throw new StartupError(advice === undefined ? what : `${what}; ${advice}`, { cause: error });
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; text: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_version') as text`,
  );
  if (Number(rows[0]?.version) < MINIMUM_SERVER_VERSION) {
    throw new StartupError(`PostgreSQL 15 or newer is required; this is version ${rows[0]?.text}`);
  }
}

async function isCurrent(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass($1) is not null as present`,
    [TABLE],
  );
  if (!rows[0]?.present) return false;
  const applied = await client.query<{ name: string }>(`select name from ${TABLE}`);
  const names = new Set(applied.rows.map(({ name }) => name));
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql'));
  return files.every((file) => names.has(path.basename(file, '.sql')));
}
