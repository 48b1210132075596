import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { createLogger } from '../platform/observability/logger.ts';
import { requireRoleConfig } from '../roles/context.ts';
import { reseal } from '../platform/postgres/reseal.ts';
import { assertMigrated } from '../platform/postgres/migrate.ts';
import { createPool } from '../platform/postgres/pool.ts';
import { createSealer } from '../platform/postgres/sealing.ts';

/**
 * `parley reseal`: seals everything with PARLEY_ENCRYPTION_KEY that PARLEY_ENCRYPTION_KEY_PREVIOUS
 * sealed, while everything runs. One line on stdout; exit code 1 while something is left.
 */
export async function runReseal(config: Config): Promise<void> {
  const { databaseUrl, encryptionKey } = requireRoleConfig(config);
  await assertMigrated(databaseUrl);
  const log = createLogger(config.logLevel ?? 'warn', 'reseal');
  const pool = createPool(databaseUrl, { log, max: 2 });
  try {
    const sealer = createSealer(encryptionKey, config.previousEncryptionKey);
    const { resealed, left } = await reseal({ pool, sealer, log });
    process.stdout.write(`${resealed} resealed, ${left} left under another key\n`);
    if (left > 0) {
      throw new StartupError(
        'not everything is sealed with PARLEY_ENCRYPTION_KEY: keep the other key and run it again',
      );
    }
  } finally {
    await pool.end();
  }
}
