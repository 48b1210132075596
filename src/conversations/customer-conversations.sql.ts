import {
  fittingRows,
  PAGE_VARIABLES_BYTES,
  type FittingRow,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { Judgement } from './record/judgement.ts';
import { CONVERSATION_COLUMNS, type ConversationRow } from './record/conversations.sql.ts';
import { CONVERSATION_BYTES } from './record/list-conversations.sql.ts';
import { OUTCOMES, type Outcome } from './record/outcomes.ts';
import type { Tally } from './record/tally.ts';

/**
 * This module queries the conversations of one customer, which all have the same `user_id`. The queries use the index
 * on namespace, user and id, and read a bounded number of rows.
 */

export type CustomerKey = { namespace: string; userId: string };

const OF_CUSTOMER = 'c.namespace = $1 and c.user_id = $2 and c.deleted_at is null';

/** Statistics about a customer's newest conversations. Times are Unix milliseconds. */
export type CustomerFigures = {
  /** Number of conversations read, including test conversations. */
  looked: number;
  tests: number;
  total: number;
  active: number;
  outcomes: Record<Outcome, number>;
  csatCount: number;
  csatAverage: number | null;
  escalations: number;
  escalationsAccepted: number;
  escalationsMissed: number;
  escalationsWaiting: number;
  /** Start of the oldest conversation that was read and is not a test. */
  firstAt: number | null;
};

/** Counts the customer's newest conversations, up to `limit`. Test conversations count only in `looked` and `tests`. */
export async function countConversationsOf(
  db: Db,
  { namespace, userId, limit }: CustomerKey & { limit: number },
): Promise<CustomerFigures> {
  const outcomes = OUTCOMES.map(
    (outcome) => `'${outcome}', count(*) filter (where outcome = '${outcome}')`,
  ).join(', ');
  const { rows } = await db.query<CustomerFigures>({
    name: 'count_conversations_of_customer',
    text: `with looked as materialized (
             select c.id, c.test, c.status, c.outcome, c.csat, c.started_at, c.ended_at
               from conversations c where ${OF_CUSTOMER} order by c.id desc limit $3
           ), real as (
             select * from looked where not test
           ), asked as (
             select e.status
               from escalations e where e.conversation_id = any(array(select id from real))
           )
           select (select count(*) from looked) as looked, (select count(*) from looked where test) as tests,
                  count(*) as total, count(*) filter (where ended_at is null) as active,
                  json_build_object(${outcomes}) as outcomes,
                  count(csat) as "csatCount", avg(csat)::float8 as "csatAverage",
                  (select count(*) from asked) as escalations,
                  (select count(*) from asked where status in ('accepted', 'completed')) as "escalationsAccepted",
                  (select count(*) from asked where status = 'timed_out') as "escalationsMissed",
                  (select count(*) from asked where status = 'requested') as "escalationsWaiting",
                  min(started_at) as "firstAt"
             from real`,
    values: [namespace, userId, limit],
  });
  return rows[0]!; // `rows[0]` exists: an aggregate query always returns one row.
}

/**
 * Returns the start of the customer's first conversation that is not a test, or null if the oldest `limit`
 * conversations include none.
 */
export async function firstConversationAt(
  db: Db,
  { namespace, userId, limit }: CustomerKey & { limit: number },
): Promise<number | null> {
  const { rows } = await db.query<{ at: number | null }>(
    `select min(started_at) as at
       from (select c.started_at, c.test from conversations c
              where ${OF_CUSTOMER} order by c.id limit $3) f
      where not test`,
    [namespace, userId, limit],
  );
  return rows[0]?.at ?? null;
}

/** A conversation with its open questions: from the model's judgement, if one exists, and from the turns (`open`). */
export type RecentConversation = Pick<ConversationRow, 'id' | 'startedAt'> & {
  judgement: Judgement | null;
  /**
   * Questions without an answer so far. Null if an earlier release, which did not record them, stored the conversation.
   */
  open: Tally['open'] | null;
  lastTurnMs: number | null;
};

/** Returns the customer's latest `limit` conversations except tests, newest first. */
export async function listRecentOf(
  db: Db,
  { namespace, userId, limit }: CustomerKey & { limit: number },
): Promise<RecentConversation[]> {
  const { rows } = await db.query<RecentConversation>(
    `select id, started_at as "startedAt", judgement, tally -> 'open' as open,
            (tally ->> 'endedAtMs')::float8 as "lastTurnMs"
       from (select * from conversations c where ${OF_CUSTOMER} order by c.id desc limit $3) r
      where not test order by id desc`,
    [namespace, userId, limit],
  );
  return rows;
}

/**
 * Returns the customer's conversations, newest first, up to the limit on the total size of a page (`fittingRows`).
 * `before` is the UUID after which the page starts.
 */
export async function listConversationsOf(
  db: Db,
  page: CustomerKey & { before: string | null; withTests: boolean; limit: number },
): Promise<FittingRow<ConversationRow>[]> {
  const { rows } = await db.query<FittingRow<ConversationRow>>(
    fittingRows({
      table: 'c',
      from: 'conversations c',
      where: `${OF_CUSTOMER} and ($3::uuid is null or c.id < $3) and ($4 or not c.test)`,
      order: 'c.id desc',
      limit: '$5',
      columns: CONVERSATION_COLUMNS,
      bytes: CONVERSATION_BYTES,
      pageBytes: PAGE_VARIABLES_BYTES,
    }),
    [page.namespace, page.userId, page.before, page.withTests, page.limit],
  );
  return rows;
}

/** Counts the customer's conversations, including tests, up to `max`. */
export async function countAllConversationsOf(
  db: Db,
  { namespace, userId, max }: CustomerKey & { max: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count
       from (select 1 from conversations c where ${OF_CUSTOMER} order by c.id limit $3) found`,
    [namespace, userId, max],
  );
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}

const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the customer's first conversation after `cursor` or, if none exists, the first one overall. Returns undefined
 * if no conversation is left. The caller erases conversations one after the other; with the cursor, the query does not
 * scan the index entries of those already erased.
 */
export async function nextConversationOf(
  db: Db,
  { namespace, userId, cursor }: CustomerKey & { cursor: string | null },
): Promise<string | undefined> {
  for (const after of cursor === null ? [FIRST] : [cursor, FIRST]) {
    const { rows } = await db.query<{ id: string }>({
      name: 'next_conversation_of_customer',
      text: `select c.id from conversations c where ${OF_CUSTOMER} and c.id > $3 order by c.id limit 1`,
      values: [namespace, userId, after],
    });
    if (rows[0]) return rows[0].id;
  }
  return undefined;
}
