import type { Db, Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

/**
 * Function that a service calls at the end of its transaction, with the value that the service is about to return. With
 * this hook, the caller of the service can commit something together with the change. The API uses it to store the
 * response for an `Idempotency-Key` (contract/idempotency.md#keys). After a crash, either both the change and the
 * response are stored, or neither is.
 */
export type CommitHook<R> = (db: Db, result: R) => Promise<void>;

/** Hook that adds nothing to the transaction. */
export const noCommitHook = async (): Promise<void> => undefined;

/**
 * Runs `change`, which must be a single statement, and then the hook. Opens a transaction only if the hook does
 * something.
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
