import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { createLogger } from '../platform/observability/logger.ts';
import { migrateDatabase } from '../roles/migrate-database.ts';

/** Runs `parley migrate`, which updates the schema and creates the partitions. Concurrent runs are safe. */
export async function runMigrate(config: Config): Promise<void> {
  if (config.databaseUrl === undefined)
    throw new StartupError(
      'DATABASE_URL is not set. Set it to the database to migrate, such as postgresql://user:password@host/parley. ' +
        '`parley start` migrates its own database.',
    );
  const log = createLogger(config.logLevel ?? 'info', 'migrate');
  await migrateDatabase({ databaseUrl: config.databaseUrl, log });
}
