import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { findBinaries } from '../../../src/standalone/postgres/binaries.ts';
import { createEmbeddedPostgres } from '../../../src/standalone/postgres/embedded-postgres.ts';

const run = promisify(execFile);
const SOURCE = new URL('../../../src/standalone/postgres/cluster.ts', import.meta.url);

/**
 * Puts an empty cluster into the data directory of a PostgreSQL that has not started yet. A first start takes more than a
 * second of a core, a copy of what it made a tenth of that.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const made = path.join(tmpdir(), `parley-test-cluster-${versionOf()}`);
  if (!existsSync(made)) await makeCluster(made);
  // Not there if PostgreSQL cannot use a temporary folder: then each makes its own elsewhere.
  if (existsSync(path.join(made, 'postgres'))) await run('cp', ['-a', `${made}/.`, dataDir]);
}

/** Hash of everything that determines the cluster. */
function versionOf(): string {
  const parts = [readFileSync(SOURCE), findBinaries().initdb, String(process.getuid?.())];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

async function makeCluster(into: string): Promise<void> {
  const draft = await mkdtemp(`${into}-`);
  const settings = { fsync: 'off' };
  const server = createEmbeddedPostgres({
    dataDir: draft,
    log: pino({ level: 'silent' }),
    settings,
  });
  await server.start();
  await server.stop();
  await rm(path.join(draft, 'postgres.log'));
  // Another worker may have been faster.
  await rename(draft, into).catch(() => rm(draft, { recursive: true }));
}
