import { healStreamOrder } from '../events/event-stream.sql.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { createPool } from '../platform/postgres/pool.ts';
import { maintainPartitions } from '../webhooks/queue/partitions.sql.ts';

/**
 * Prepares a database for the roles. Applies migrations, creates partitions, and corrects the order of events that were
 * restored from another server. Concurrent calls are safe.
 * @throws StartupError if the database cannot be reached or is too old
 */
export async function migrateDatabase(deps: { databaseUrl: string; log: Logger }): Promise<void> {
  const { databaseUrl, log } = deps;
  await migrate({ databaseUrl, log });
  const pool = createPool(databaseUrl, { log, max: 1 });
  try {
    const restored = await healStreamOrder(pool);
    if (restored > 0) log.info({ events: restored }, 'put restored events in order');
    await maintainPartitions(pool, undefined, null);
  } finally {
    await pool.end();
  }
}
