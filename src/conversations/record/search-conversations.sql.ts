import {
  anywhere,
  inOrder,
  PAGE_VARIABLES_BYTES,
  type FittingRow,
} from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { CONVERSATION_COLUMNS, type ConversationRow } from './conversations.sql.ts';
import {
  CONVERSATION_BYTES,
  conversationsIn,
  type ConversationFilter,
} from './list-conversations.sql.ts';

/** Result of one step of a search through conversations, in the order of the list. */
export type LookedThrough = {
  /** Matching conversations, up to the filter's limit and the bytes left in the page (`fittingRows`). */
  found: FittingRow<ConversationRow>[];
  /** Size in bytes of the JSON columns of the conversations that fit on the page. */
  bytes: number;
  /** Number of conversations searched. */
  looked: number;
  /** Id of the last conversation searched; null if none was searched. */
  last: string | null;
  /** Whether all conversations that match the filter have been searched. */
  isEnd: boolean;
};

/**
 * Searches the next conversations that match a filter: at most `conversations`, with about `turns` turns in total. Each
 * word must occur, ignoring case, in a turn of the user, an agent or a human agent, in the summary or in `user_id`.
 * Uses only the index of the list and the primary key of the turns. `room` is the number of bytes left in the page. If
 * the page is empty, its first conversation always fits, however large it is.
 */
export async function lookThrough(
  db: Db,
  filter: ConversationFilter,
  {
    words,
    conversations,
    turns,
    room,
  }: { words: readonly string[]; conversations: number; turns: number; room: number },
): Promise<LookedThrough> {
  const { from, where, values } = conversationsIn(filter);
  const [most, turnsMax, patterns, limit, bytesMax] = [
    conversations,
    turns,
    words.map(anywhere),
    filter.limit,
    room,
  ].map((value) => `$${values.push(value)}`);
  const { direction } = inOrder(filter);
  const opposite = direction === 'asc' ? 'desc' : 'asc';
  const { rows } = await db.query<Row>(
    `with listed as materialized (
       select l.*, sum(l.turn_count) over (order by l.id ${direction}) - l.turn_count as turns_before
         from (select c.id, c.turn_count, c.summary, c.user_id from ${from}
                where ${where} order by c.id ${direction} limit ${most}) l
     ), looked as materialized (
       select id, summary, user_id from listed where turns_before < ${turnsMax}
     ), found as materialized (
       select k.id from looked k
        where not exists (
          select from unnest(${patterns}::text[]) w (pattern)
           where lower(coalesce(k.summary, '')) not like lower(w.pattern)
             and lower(coalesce(k.user_id, '')) not like lower(w.pattern)
             and not exists (
               select from turns t
                where t.conversation_id = k.id and t.role in ('user', 'agent', 'human')
                  and lower(t.text) like lower(w.pattern)))
        order by k.id ${direction} limit ${limit}
     ), sized as (
       select id, bytes, sum(bytes) over so_far as total,
              case when ${bytesMax} = ${PAGE_VARIABLES_BYTES} then greatest(${bytesMax}, first_value(bytes) over so_far)
                   else ${bytesMax} end as room
         from (select c.id, ${CONVERSATION_BYTES} as bytes from conversations c
                where c.id = any(array(select id from found))) s
       window so_far as (order by id ${direction})
     ), fitting as (
       select id, bytes, total <= room as fits from sized where total - bytes <= room
     ), ends as (
       select (select count(*)::int from listed) as listed, (select count(*)::int from looked) as looked,
              (select id from looked order by id ${opposite} limit 1) as last
     )
     select e.listed, e.looked, e.last, f.bytes, f.fits, ${CONVERSATION_COLUMNS}
       from ends e left join fitting f on true left join conversations c on c.id = f.id
      order by c.id ${direction}`,
    values,
  );
  const { listed, looked, last } = rows[0]!; // The query always returns a row, even if it searched no conversation.
  const found = rows.filter((row): row is Row & Found => row.id !== null);
  const bytes = found.reduce((sum, one) => sum + (one.fits ? one.bytes : 0), 0);
  return { found, bytes, looked, last, isEnd: looked === listed && listed < conversations };
}

type Found = FittingRow<ConversationRow> & { bytes: number };

type Row = { listed: number; looked: number; last: string | null } & (Found | { id: null });
