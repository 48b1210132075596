import { createBatcher } from '../controller/batcher.ts';
import { isUnavailable } from './pool.ts';

/** Maximum number of items in a transaction. It limits how long the transaction keeps its locks. */
const TOGETHER_MAX = 64;

/**
 * Length in characters of an item's texts, above which the item is committed alone, so that the large items of one
 * namespace do not slow the items of others.
 */
export const SHARED_CHARS_MAX = 2_048;

/**
 * Creates a function that commits an item together with those of concurrent callers. While one transaction runs, the
 * next items gather. An item that is alone waits for nobody.
 *
 * The function resolves to undefined if the caller has to commit the item alone: `run` returned no result for it, or
 * PostgreSQL refused the shared transaction. So an item that is refused does not keep the others from being committed.
 * @param run commits items in one transaction, without waiting for locks, and returns one result per item, in order
 * @throws the error of `run` if PostgreSQL is unavailable; whether the item was committed is then unknown
 */
export function createGroupCommit<I, O>(
  run: (items: readonly I[]) => Promise<readonly (O | undefined)[]>,
): (item: I) => Promise<O | undefined> {
  const { add } = createBatcher<I, O | undefined>({
    run: async (items) => {
      try {
        return await run(items);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        return items.map(() => undefined);
      }
    },
    itemsMax: TOGETHER_MAX,
    gatherMs: 0,
  });
  return add;
}
