import { createPeriodic, type Periodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { isOnlyOne } from '../platform/postgres/one-at-a-time.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { deleteEmptyLabels, foldFacts, hasFacts } from './facts.sql.ts';

/**
 * Interval in ms between runs. Statistics stay correct between two runs, because they also include the facts (explained
 * below) that are not in the counters yet.
 */
const EVERY_MS = 10_000;
/** Number of facts per transaction. A batch takes about 50 ms. */
const BATCH = 2_000;
const LOCK = 2;

/**
 * Creates the job that adds the facts of ended conversations to the counters. A fact is what one conversation adds to
 * the statistics. One process at a time runs the job. If it is killed, the transaction is rolled back, and the facts
 * wait for the next run.
 */
export function createConversationCounter(deps: { pool: Pool; log: Logger }): Periodic {
  return createPeriodic({
    what: 'counting ended conversations',
    everyMs: EVERY_MS,
    log: deps.log,
    run: async () => (await hasFacts(deps.pool)) && countBatch(deps),
  });
}

/** Adds one batch of facts to the counters. Returns true if there may be more. */
export function countBatch({ pool }: { pool: Pool }, limit = BATCH): Promise<boolean> {
  return inTransaction(pool, async (db) => {
    if (!(await isOnlyOne(db, LOCK))) return false;
    const count = await foldFacts(db, limit);
    await deleteEmptyLabels(db);
    return count === limit;
  });
}
