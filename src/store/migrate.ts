import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../observability/logger.ts';
import { createClient } from './pool.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../migrations');
const TABLE = 'schema_migrations';
/** Any two numbers nobody else uses as an advisory lock of this database. */
const LOCK = [0x7061, 0x726c];
const MINIMUM_SERVER_VERSION = 150_000;

/**
 * Brings the schema up to date. Any number of processes may call it at once: one works, the
 * others wait for it. Forward only; a file is never edited once released.
 */
export async function migrate(deps: { databaseUrl: string; log: Logger }): Promise<void> {
  const client = createClient(deps.databaseUrl);
  await client.connect();
  try {
    await checkServer(client);
    await client.query('select pg_advisory_lock($1, $2)', LOCK);
    if (await isCurrent(client)) return;
    // Imported here: an up-to-date start, the common one, does not pay for it.
    const { runner } = await import('node-pg-migrate');
    const applied = await runner({
      dbClient: client,
      dir: FOLDER,
      direction: 'up',
      migrationsTable: TABLE,
      noLock: true, // Ours waits; theirs gives up when somebody else migrates.
      log: () => undefined,
    });
    deps.log.info({ migrations: applied.map(({ name }) => name) }, 'schema migrated');
  } finally {
    await client.end();
  }
}

async function checkServer(client: ReturnType<typeof createClient>): Promise<void> {
  const { rows } = await client.query<{ version: string; text: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_version') as text`,
  );
  if (Number(rows[0]?.version) < MINIMUM_SERVER_VERSION) {
    const { StartupError } = await import('../errors.ts');
    throw new StartupError(`PostgreSQL 15 or newer is needed; this is ${rows[0]?.text}`);
  }
}

async function isCurrent(client: ReturnType<typeof createClient>): Promise<boolean> {
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
