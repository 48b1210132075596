import { deleteOldLines } from '../audit/audit-log.sql.ts';
import { deleteCallsOf, deleteOldCalls } from '../calls/calls.sql.ts';
import type { Retention } from '../config.ts';
import { deleteOldConversations } from '../conversations/record/conversations.sql.ts';
import { failpoint } from '../failpoints.ts';
import { eraseAnswersAbout } from '../platform/idempotency/idempotency-marks.sql.ts';
import { createPeriodic, type Periodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { isOnlyOne } from '../platform/postgres/one-at-a-time.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';

/**
 * Dependencies of the job that deletes conversations, calls and audit log entries after their retention period
 * (contract/running.md#settings). One process at a time deletes them in batches, each in a short transaction. If the
 * process is killed, no object is partly deleted, and the next run continues. Partitions of events are dropped
 * separately (webhooks/queue/partitions.sql.ts).
 */
export type RetentionDeps = { pool: Pool; retention: Retention; log: Logger };

const EVERY_MS = 600_000;
/** Batch size. It is small, because a conversation may have thousands of turns. */
const CONVERSATIONS_BATCH = 50;
const LINES_BATCH = 1_000;
const LOCK = 1;

export function createRetention(deps: RetentionDeps): Periodic {
  return createPeriodic({
    what: 'deleting data past its retention',
    everyMs: EVERY_MS,
    log: deps.log,
    run: async (signal) => {
      await removeOld(deps, signal);
      return false;
    },
  });
}

export type Removed = { conversations: number; calls: number; auditLines: number };

/** Deletes all data past its retention, and returns the number of deleted objects of each type. */
export async function removeOld(deps: RetentionDeps, signal: AbortSignal): Promise<Removed> {
  const { conversations: days, audit } = deps.retention;
  const removed: Removed = { conversations: 0, calls: 0, auditLines: 0 };
  const each = (keptDays: number, limit: number, remove: Remove): Promise<number> =>
    keptDays === 0
      ? Promise.resolve(0)
      : inBatches(deps, signal, { days: keptDays, limit, remove });
  removed.conversations = await each(days, CONVERSATIONS_BATCH, removeConversations);
  removed.calls = await each(days, LINES_BATCH, deleteOldCalls);
  removed.auditLines = await each(audit, LINES_BATCH, deleteOldLines);
  if (Object.values(removed).some((count) => count > 0)) {
    deps.log.info(removed, 'deleted data past its retention');
  }
  return removed;
}

type Batch = { days: number; limit: number };
type Remove = (db: Db, batch: Batch) => Promise<number>;

async function inBatches(
  { pool }: Pick<RetentionDeps, 'pool'>,
  signal: AbortSignal,
  { remove, ...batch }: Batch & { remove: Remove },
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await inTransaction(pool, async (db) =>
      (await isOnlyOne(db, LOCK)) ? remove(db, batch) : 0,
    );
    await failpoint('retention.removed');
    total += count;
    if (count < batch.limit) break;
  }
  return total;
}

/**
 * Removes whole conversations. The turns and escalations of a conversation are deleted with its row. Knowledge gaps
 * remain, because they belong to the agent.
 */
async function removeConversations(db: Db, batch: Batch): Promise<number> {
  const ids = await deleteOldConversations(db, batch);
  if (ids.length === 0) return 0;
  await deleteCallsOf(db, ids);
  // A stored response may be newer than its conversation, such as the response to a rating given today. Without this
  // step, the stored response would outlive the conversation.
  for (const id of ids) await eraseAnswersAbout(db, id);
  return ids.length;
}
