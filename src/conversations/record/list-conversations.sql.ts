import {
  bytesOf,
  createdBetween,
  filteredBy,
  fittingRows,
  inOrder,
  PAGE_VARIABLES_BYTES,
  timeBetween,
  type Condition,
  type CreatedBetween,
  type FittingRow,
  type ListOrder,
  type ListPage,
} from '../../platform/postgres/list-filters.ts';
import { countRows } from '../../platform/postgres/count-rows.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import {
  CONVERSATION_COLUMNS,
  type Channel,
  type ConversationRow,
  type ConversationStatus,
} from './conversations.sql.ts';
import type { Outcome } from './outcomes.ts';
import { TURN_COLUMNS, type TurnRow } from './turns.sql.ts';

/** Filter for conversations. Times are Unix seconds, and ids are UUIDs. */
export type ConversationFilter = ListPage &
  ListOrder &
  CreatedBetween & {
    status?: ConversationStatus | undefined;
    agentId?: string | undefined;
    agentVersion?: number | undefined;
    channel?: Channel | undefined;
    outcome?: Outcome | undefined;
    userId?: string | undefined;
    callId?: string | undefined;
    /** Telephone numbers of the caller (`from`) and of the called party (`to`). */
    from?: string | undefined;
    to?: string | undefined;
    endedAfter?: number | undefined;
    endedBefore?: number | undefined;
    /** Name-value pairs. The conversation's metadata must contain all of them. */
    metadata?: Readonly<Record<string, string>> | undefined;
    /** Selects one conversation by its own id, or by the id of its call or one of its escalations. */
    named?: { by: keyof typeof NAMED; id: string } | undefined;
    /** Whether to include test conversations. */
    withTests?: boolean | undefined;
  };

/** SQL conditions that find a conversation by its own id, or by the id of its call or one of its escalations. */
const NAMED = {
  conv: 'c.id =',
  call: 'c.call_id =',
  esc: 'c.id = (select conversation_id from escalations where id = ?)',
} as const;

/** SQL for the size in bytes of a conversation's JSON columns. */
export const CONVERSATION_BYTES = bytesOf('c.variables', 'c.metadata');

/** Returns conversations in the filter's order, up to the limit on the total size of a page (`fittingRows`). */
export async function listConversations(
  db: Db,
  filter: ConversationFilter,
): Promise<FittingRow<ConversationRow>[]> {
  const { from, where, values } = conversationsIn(filter);
  const text = fittingRows({
    table: 'c',
    from,
    where,
    order: `c.id ${inOrder(filter).direction}`,
    limit: `$${values.push(filter.limit)}`,
    columns: CONVERSATION_COLUMNS,
    bytes: CONVERSATION_BYTES,
    pageBytes: PAGE_VARIABLES_BYTES,
  });
  const { rows } = await db.query<FittingRow<ConversationRow>>(text, values);
  return rows;
}

/** Returns the number of conversations on all pages of a list, or null if counting takes too long. */
export function countConversations(pool: Pool, filter: ConversationFilter): Promise<number | null> {
  return countRows(pool, conversationsIn({ ...filter, before: undefined }));
}

/** Conversation and its first turns, both read at the same moment. */
export type ConversationWithTurns = ConversationRow & { turns: TurnRow[] };

/**
 * Returns the conversations in `ids` that match a filter, in the filter's order, each with its first turns. Reads all
 * of them from one snapshot: conversations erased before the snapshot are missing, and all others are complete.
 */
export async function readWithTurns(
  db: Db,
  filter: ConversationFilter,
  { ids, turnsMax }: { ids: readonly string[]; turnsMax: number },
): Promise<ConversationWithTurns[]> {
  const { from, where, values } = conversationsIn(filter);
  const { rows } = await db.query<ConversationWithTurns>(
    `select ${CONVERSATION_COLUMNS}, coalesce(t.turns, '[]') as turns from ${from}
       left join lateral (
         select json_agg(row_to_json(f) order by f.index) as turns
           from (select ${TURN_COLUMNS} from turns
                  where conversation_id = c.id and index < $${values.push(turnsMax)}) f) t on true
      where ${where} and c.id = any($${values.push(ids)})
      order by c.id ${inOrder(filter).direction}`,
    values,
  );
  return rows;
}

const OF_ITS_CALL = 'exists (select from calls k where k.conversation_id = c.id and';

/**
 * Builds the query for a filter. Matches metadata by the hash of each name-value pair, which a separate table stores.
 * The bounds on conversation ids apply to that table as well. PostgreSQL can then start from the pairs if few match, or
 * from the conversations if many pairs match.
 */
export function conversationsIn(filter: ConversationFilter): {
  from: string;
  where: string;
  values: unknown[];
} {
  const pairs = Object.entries(filter.metadata ?? {});
  const { follows } = inOrder(filter);
  const { where, values } = filteredBy([
    ['c.namespace =', filter.namespace],
    ['c.status =', filter.status],
    ['c.agent_id =', filter.agentId],
    ['c.agent_version =', filter.agentVersion],
    ['c.channel =', filter.channel],
    ['c.outcome =', filter.outcome],
    ['c.user_id =', filter.userId],
    ['c.call_id =', filter.callId],
    [NAMED[filter.named?.by ?? 'conv'], filter.named?.id],
    ['c.test =', filter.withTests === true ? undefined : false],
    [`${OF_ITS_CALL} k.from_number = ?)`, filter.from],
    [`${OF_ITS_CALL} k.to_number = ?)`, filter.to],
    ...timeBetween('c.ended_at', { after: filter.endedAfter, before: filter.endedBefore }),
    ...createdBetween(filter, 'c.id'),
    [`c.id ${follows}`, filter.before],
    // The bound is repeated for each join with the table of pairs. The planner knows that the ids are equal, but
    // applies a bound only to the table for which it is written.
    ...pairs.map((_, i): Condition => [`m${i}.conversation_id ${follows}`, filter.before]),
  ]);
  const joins = pairs.map(([key, value], i) => {
    const hash = [filter.namespace, key, value].map((text) => `$${values.push(text)}::text`);
    return `join conversation_metadata m${i} on m${i}.conversation_id = c.id
              and m${i}.pair = parley_metadata_pair(${hash.join(', ')})`;
  });
  return {
    from: ['conversations c', ...joins].join(' '),
    where: `${where} and c.deleted_at is null`,
    values,
  };
}

/** Properties of a conversation that the feedback page shows. */
export type RatedConversation = { namespace: string; csat: number | null; agentName: string };

/** Returns a conversation for the feedback page, or undefined if it was erased or never existed. */
export async function readRatedConversation(
  db: Db,
  id: string,
): Promise<RatedConversation | undefined> {
  const { rows } = await db.query<RatedConversation>({
    name: 'read_rated_conversation',
    text: `select c.namespace, c.csat, coalesce(a.spec ->> 'displayName', a.name) as "agentName"
             from conversations c join agents a on a.id = c.agent_id
            where c.id = $1 and c.deleted_at is null`,
    values: [id],
  });
  return rows[0];
}
