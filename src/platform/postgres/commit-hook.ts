import type { Db, Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

/**
 * Function that a service calls at the end of its transaction, with the value that it is about to return. With the
 * hook, the caller of the service can commit something together with the change. The API stores the response to an
 * `Idempotency-Key` this way (contract/idempotency.md#keys), so that after a crash either both or neither are stored.
 */
export type CommitHook<R> = (db: Db, result: R) => Promise<void>;

/** Hook that adds nothing to the transaction. */
export const noCommitHook = async (): Promise<void> => undefined;

/**
 * Runs `change`, which is a single statement, and then the hook. Opens a transaction only if the hook adds something.
 */
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
