import type { Db, Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

/**
 * Called by a service at the end of its transaction with what it is about to return, so that the
 * caller can commit something together with the change. The API keeps the answer to an
 * `Idempotency-Key` this way (contract/idempotency.md#keys), so that a crash leaves both or neither.
 */
export type CommitHook<R> = (db: Db, result: R) => Promise<void>;

/** Adds nothing. */
export const noCommitHook = async (): Promise<void> => undefined;

/** For a change of one statement: it needs a transaction only if something is added to it. */
export function inOneCommit<R>(
  pool: Pool,
  beforeCommit: CommitHook<R>,
  change: (db: Db) => Promise<R>,
): Promise<R> {
  if (beforeCommit === noCommitHook) return change(pool);
  return inTransaction(pool, async (db) => {
    const result = await change(db);
    await beforeCommit(db, result);
    return result;
  });
}
