import { recordAudit } from '../audit/audit-log.sql.ts';
import type { Config } from '../config.ts';
import { reasonOf, StartupError } from '../errors.ts';
import { createLogger, type Logger } from '../platform/observability/logger.ts';
import { assertMigrated } from '../platform/postgres/migrate.ts';
import { createPool, type Pool } from '../platform/postgres/pool.ts';
import {
  countSealedByAnother,
  listSealedByAnother,
  replaceSealed,
  type SealedColumn,
} from '../platform/postgres/sealed-values.ts';
import { createSealer, type Sealer } from '../platform/postgres/sealing.ts';
import { SEALED_TOOL_SECRET_COLUMN } from '../agents/tools/tool-secrets.sql.ts';
import { requireRoleConfig } from '../roles/context.ts';
import { SEALED_GIVEN_COLUMN } from '../kinds/given-secrets.sql.ts';
import { KINDS } from '../roles/kinds.ts';
import { SEALED_MARK_COLUMNS } from '../platform/idempotency/idempotency-marks.sql.ts';
import { SEALED_SECRET_COLUMN } from '../platform/resources/resources.sql.ts';
import { SEALED_ENDPOINT_COLUMNS } from '../webhooks/endpoints/endpoint-secrets.sql.ts';

/** All columns with encrypted (sealed) values. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...SEALED_ENDPOINT_COLUMNS,
  SEALED_SECRET_COLUMN,
  ...KINDS.flatMap(({ sealed = [] }) => sealed),
  SEALED_GIVEN_COLUMN,
  SEALED_TOOL_SECRET_COLUMN,
  ...SEALED_MARK_COLUMNS,
];

/**
 * Runs `parley reseal`, which decrypts every value encrypted with PARLEY_ENCRYPTION_KEY_PREVIOUS and encrypts it with
 * PARLEY_ENCRYPTION_KEY, without downtime. Prints one line on stdout. The exit code is 1 if any value is still
 * encrypted with a different key.
 */
export async function runReseal(config: Config): Promise<void> {
  const { databaseUrl, encryptionKey } = requireRoleConfig(config);
  await assertMigrated(databaseUrl);
  const log = createLogger(config.logLevel ?? 'warn', 'reseal');
  const pool = createPool(databaseUrl, { log, max: 2 });
  try {
    const sealer = createSealer(encryptionKey, config.previousEncryptionKey);
    const { resealed, left } = await reseal({ pool, sealer, log });
    process.stdout.write(
      `${resealed} values re-encrypted, ${left} still encrypted with another key\n`,
    );
    if (left > 0) {
      throw new StartupError(
        'not all values are encrypted with PARLEY_ENCRYPTION_KEY: keep the previous key and run the command again',
      );
    }
  } finally {
    await pool.end();
  }
}

const BATCH = 200;

/**
 * Re-encrypts every value that is not yet encrypted with the sealer's current key. This needs no downtime: a value is
 * replaced only if it has not changed since it was read, and readers can decrypt both old and new values. The function
 * can be run repeatedly. `left` is the number of values that are still encrypted with a different key. When `left` is
 * 0, the previous key is no longer needed.
 */
export async function reseal(deps: {
  pool: Pool;
  sealer: Sealer;
  log: Logger;
}): Promise<{ resealed: number; left: number }> {
  let resealed = 0;
  for (const column of SEALED_COLUMNS) resealed += await resealColumn(deps, column);
  const left = await countSealedByAnother(deps.pool, SEALED_COLUMNS, deps.sealer.keyId);
  if (resealed > 0) {
    // The audit entry concerns all namespaces. It is recorded in `default`, which always exists.
    const by = { namespace: 'default', actor: 'cli' };
    await recordAudit(deps.pool, by, {
      action: 'encryption_key.resealed',
      target: deps.sealer.keyId.toString('hex'),
      detail: { resealed, left },
    });
  }
  return { resealed, left };
}

async function resealColumn(
  { pool, sealer, log }: { pool: Pool; sealer: Sealer; log: Logger },
  column: SealedColumn,
): Promise<number> {
  let resealed = 0;
  let after: string[] | null = null;
  for (;;) {
    const page = { keyId: sealer.keyId, after, limit: BATCH };
    const values = await listSealedByAnother(pool, column, page);
    for (const value of values) {
      const plain = openOrLog(sealer, value, log);
      if (plain === undefined) continue;
      const change = { ...value, resealed: sealer.seal(plain, value.place) };
      if (await replaceSealed(pool, column, change)) resealed += 1;
    }
    after = values.at(-1)?.key ?? null;
    if (values.length < BATCH) return resealed;
  }
}

/**
 * Decrypts a value. If no key can decrypt it, logs a message and returns undefined. The value then stays unchanged and
 * does not block other values.
 */
function openOrLog(
  sealer: Sealer,
  { sealed, place }: { sealed: Buffer; place: string },
  log: Logger,
): string | undefined {
  try {
    return sealer.open(sealed, place);
  } catch (error) {
    log.warn({ place, reason: reasonOf(error) }, 'cannot decrypt a stored value');
    return undefined;
  }
}
