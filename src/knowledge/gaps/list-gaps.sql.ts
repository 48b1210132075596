import {
  anywhere,
  createdBetween,
  filteredBy,
  timeBetween,
  type CreatedBetween,
} from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { GAP_COLUMNS, type GapRow } from './knowledge-gaps.sql.ts';

export const GAP_ORDERS = ['created', 'count', 'last_asked_at'] as const;
export type GapOrder = (typeof GAP_ORDERS)[number];

/** A gap (a question that an agent could not answer) in a list, with the values that its cursor needs. */
export type ListedGap = GapRow & {
  /**
   * Time of the last question in microseconds, the precision of the database. Milliseconds would not suffice as a
   * position in the list, because the questions of two gaps may be asked in the same millisecond.
   */
  lastAskedUs: string;
};

/**
 * Position in a list: the last gap of the previous page. `value` is its sort value, or '' for the order `created`,
 * which sorts by id.
 */
export type GapPlace = { order: GapOrder; value: string; id: string };

export type GapFilter = CreatedBetween & {
  namespace: string;
  order: GapOrder;
  after?: GapPlace | undefined;
  limit: number;
  status?: GapRow['status'] | undefined;
  agentId?: string | undefined;
  conversationId?: string | undefined;
  /** Selects gaps whose question was last asked at this time or later, in Unix seconds. */
  askedAfter?: number | undefined;
  countMin?: number | undefined;
  /** Text that the question must contain, regardless of letter case. */
  part?: string | undefined;
};

const ORDER_BY: Record<GapOrder, string> = {
  created: 'id desc',
  count: 'count desc, id desc',
  last_asked_at: 'last_asked_at desc, id desc',
};

/** SQL conditions that select the gaps after a cursor. `$1` is the cursor's sort value, and `$2` is its id. */
const BEHIND: Record<Exclude<GapOrder, 'created'>, string> = {
  count: '(count, id) < ($1::integer, $2::uuid)',
  last_asked_at:
    "(last_asked_at, id) < (timestamptz 'epoch' + $1::bigint * interval '1 microsecond', $2::uuid)",
};

/**
 * Lists gaps in descending order of creation, count or last question. Each combination of an order and a selective
 * filter has its own index.
 */
export async function listGaps(db: Db, filter: GapFilter): Promise<ListedGap[]> {
  const { order, after } = filter;
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['status =', filter.status],
    ['agent_id =', filter.agentId],
    ['conversation_id =', filter.conversationId],
    ['lower(question) like lower(?)', filter.part && anywhere(filter.part)],
    ...createdBetween(filter),
    ...timeBetween('last_asked_at', { after: filter.askedAfter }),
    ['count >=', filter.countMin],
    ['id <', order === 'created' ? after?.id : undefined],
  ]);
  const behind =
    order === 'created' || !after ? '' : ` and ${placed(BEHIND[order], values, after)}`;
  const { rows } = await db.query<ListedGap>(
    `select ${GAP_COLUMNS},
            (extract(epoch from last_asked_at) * 1000000)::bigint::text as "lastAskedUs"
       from knowledge_gaps
      where ${where}${behind} order by ${ORDER_BY[order]} limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

function placed(behind: string, values: unknown[], { value, id }: GapPlace): string {
  const [first, second] = [values.push(value), values.push(id)];
  return behind.replace('$1', `$${first}`).replace('$2', `$${second}`);
}
