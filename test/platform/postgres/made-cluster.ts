import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { migrate } from '../../../src/platform/postgres/migrate.ts';
import { findBinaries } from '../../../src/standalone/postgres/binaries.ts';
import { createEmbeddedPostgres } from '../../../src/standalone/postgres/embedded-postgres.ts';

const run = promisify(execFile);
const SOURCE = new URL('../../../src/standalone/postgres/cluster.ts', import.meta.url);
const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/**
 * Copies an empty cluster into the data directory of a PostgreSQL that has not started yet. A first start takes more
 * than a second of a core; the copy takes a fifth of that. With `migrated`, the database `postgres` has the schema.
 */
export async function copyCluster(dataDir: string, { migrated = false } = {}): Promise<void> {
  const made = path.join(tmpdir(), `parley-test-cluster-${versionOf(migrated)}`);
  if (!existsSync(made)) await makeCluster(made, migrated);
  // Absent if PostgreSQL cannot use a temporary folder. Each server then creates its own elsewhere.
  if (existsSync(path.join(made, 'postgres'))) await run('cp', ['-a', `${made}/.`, dataDir]);
}

/** Returns a hash of everything that determines the cluster. */
function versionOf(migrated: boolean): string {
  const parts = [readFileSync(SOURCE), findBinaries().initdb, String(process.getuid?.())];
  if (migrated)
    for (const file of readdirSync(MIGRATIONS).toSorted())
      parts.push(file, readFileSync(new URL(file, MIGRATIONS)));
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

async function makeCluster(into: string, migrated: boolean): Promise<void> {
  const draft = await mkdtemp(`${into}-`);
  const settings = { fsync: 'off' };
  const server = createEmbeddedPostgres({
    dataDir: draft,
    log: pino({ level: 'silent' }),
    settings,
  });
  const { url } = await server.start();
  if (migrated) await migrate({ databaseUrl: url, log: createLogger('error', 'test') });
  await server.stop();
  await rm(path.join(draft, 'postgres.log'));
  // Another worker may have been faster.
  await rename(draft, into).catch(() => rm(draft, { recursive: true }));
}
