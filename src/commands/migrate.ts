import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { createLogger } from '../platform/observability/logger.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { maintainPartitions } from '../webhooks/queue/partitions.sql.ts';
import { createPool } from '../platform/postgres/pool.ts';

/** `parley migrate`: brings the schema up to date and makes the partitions. Any number at once. */
export async function runMigrate(config: Config): Promise<void> {
  if (config.databaseUrl === undefined) throw new StartupError('DATABASE_URL is not set');
  const log = createLogger(config.logLevel ?? 'info', 'migrate');
  await migrate({ databaseUrl: config.databaseUrl, log });
  const pool = createPool(config.databaseUrl, { log, max: 1 });
  await maintainPartitions(pool);
  await pool.end();
}
