import { codeOf } from '../../errors.ts';
import type { Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

/** Highest count that `countRows` returns. It means that there are this many rows or more. */
export const COUNT_MAX = 10_000;

/** Maximum duration of a count in ms. A count that takes longer is canceled. */
const COUNT_MS = 500;
/** Code of query_canceled (PostgreSQL, appendix A). */
const CANCELED = '57014';

/** Counts the rows of a list, up to `COUNT_MAX`. Returns null if the count takes longer than `COUNT_MS`. */
export async function countRows(
  pool: Pool,
  { from, where, values }: { from: string; where: string; values: readonly unknown[] },
): Promise<number | null> {
  try {
    return await inTransaction(pool, async (db) => {
      await db.query(`set local statement_timeout = ${COUNT_MS}`);
      const { rows } = await db.query<{ count: number }>(
        `select count(*)::int as count from (select from ${from} where ${where} limit ${COUNT_MAX}) counted`,
        [...values],
      );
      return rows[0]!.count; // `rows[0]` exists, because an aggregate without `group by` returns one row.
    });
  } catch (error) {
    if (codeOf(error) === CANCELED) return null;
    throw error;
  }
}
