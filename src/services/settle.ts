import type { Db } from '../store/pool.ts';

/**
 * Called by a service inside its transaction, last, with what it is about to return: whoever asked
 * can commit something together with the change. The API keeps the answer to an
 * `Idempotency-Key` this way (contract §3), so that a crash leaves both or neither.
 */
export type Settle<R> = (db: Db, result: R) => Promise<void>;

/** Nobody has anything to add. */
export const unsettled = async (): Promise<void> => undefined;
