import {
  fittingRows,
  PAGE_VARIABLES_BYTES,
  type FittingRow,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { CALL_BYTES, CALL_COLUMNS, type CallRow } from './calls.sql.ts';

/**
 * Queries for the calls of one customer, which are the calls with the same `user_id`. All queries use the index on four
 * columns: namespace, user, whether the call has a conversation, and ID.
 */

type CustomerKey = { namespace: string; userId: string };

const OF_CUSTOMER = 'namespace = $1 and user_id = $2';
/**
 * Indexed expression (migrations/0042_customer_erasures.sql): `c` for a call with a conversation, `l` for a call
 * without one. A condition on `conversation_id` would not use the index.
 */
const KIND = `(case when conversation_id is null then 'l'::"char" else 'c'::"char" end)`;
const LONE = `${KIND} = 'l'`;

/** Statistics for a customer's calls. Times are Unix milliseconds. */
export type CallFigures = {
  total: number;
  answered: number;
  firstAt: number | null;
  lastAt: number | null;
};

/**
 * Computes the statistics from the customer's newest calls: at most `limit` with a conversation and `limit` without
 * one.
 */
export async function countCallsOf(
  db: Db,
  { namespace, userId, limit }: CustomerKey & { limit: number },
): Promise<CallFigures> {
  const newest = (kind: 'l' | 'c'): string =>
    `(select answered_at, created_at from calls
       where ${OF_CUSTOMER} and ${KIND} = '${kind}' order by id desc limit $3)`;
  const { rows } = await db.query<CallFigures>({
    name: 'count_calls_of_customer',
    text: `select count(*) as total, count(answered_at) as answered,
                  min(created_at) as "firstAt", max(created_at) as "lastAt"
             from (${newest('l')} union all ${newest('c')}) k`,
    values: [namespace, userId, limit],
  });
  return rows[0]!; // `rows[0]` exists: an aggregate query always returns one row.
}

/**
 * Returns the customer's calls without a conversation, newest first: as many as fit into a page (`fittingRows`).
 * `before` is the UUID of the last call on the previous page.
 */
export async function listLoneCallsOf(
  db: Db,
  page: CustomerKey & { before: string | null; limit: number },
): Promise<FittingRow<CallRow>[]> {
  const { rows } = await db.query<FittingRow<CallRow>>(
    fittingRows({
      table: 'calls',
      where: `${OF_CUSTOMER} and ${LONE} and ($3::uuid is null or id < $3)`,
      order: 'id desc',
      limit: '$4',
      columns: CALL_COLUMNS,
      bytes: CALL_BYTES,
      pageBytes: PAGE_VARIABLES_BYTES,
    }),
    [page.namespace, page.userId, page.before, page.limit],
  );
  return rows;
}

/** Returns the calls that belong to the given conversations. */
export async function listCallsOfConversations(
  db: Db,
  conversationIds: readonly string[],
): Promise<CallRow[]> {
  const { rows } = await db.query<CallRow>(
    `select ${CALL_COLUMNS} from calls where conversation_id = any($1)`,
    [conversationIds],
  );
  return rows;
}

/** Counts the customer's calls without a conversation, up to `max`. */
export async function countLoneCallsOf(
  db: Db,
  { namespace, userId, max }: CustomerKey & { max: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count
       from (select 1 from calls where ${OF_CUSTOMER} and ${LONE} limit $3) found`,
    [namespace, userId, max],
  );
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}

/** Call that still contains a customer's `user_id`. `isUnanswered`: the call is live and has no conversation yet. */
export type NamedCall = { id: string; isUnanswered: boolean };

/** Returns one of the calls that still contain the customer's `user_id`, or undefined if none is left. */
export async function anyCallOf(
  db: Db,
  { namespace, userId }: CustomerKey,
): Promise<NamedCall | undefined> {
  const { rows } = await db.query<NamedCall>({
    name: 'any_call_of_customer',
    text: `select id, ended_at is null and conversation_id is null as "isUnanswered"
             from calls where ${OF_CUSTOMER} limit 1`,
    values: [namespace, userId],
  });
  return rows[0];
}

/** Erases the numbers, the script and all client data of a call. */
export async function eraseCall(db: Db, id: string): Promise<void> {
  await db.query(
    `update calls set from_number = null, to_number = null, transfer_to = null, provider_options = '{}',
                      user_id = null, variables = '{}', metadata = '{}'
      where id = $1`,
    [id],
  );
}
