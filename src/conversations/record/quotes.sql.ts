import { anywhere } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { QUOTE_MAX } from './excerpt.ts';

/** Message of a transcript that a list quotes. */
export type QuotedTurn = { index: number; role: 'user' | 'agent' | 'human'; text: string };

/** Messages of a conversation that a list quotes. */
export type Quotes = {
  /** Beginning of the last message; null if nobody has said anything. */
  last: QuotedTurn | null;
  /**
   * Message that contains the most words of the search, or the earliest of several such messages. Null if none matches.
   */
  match: QuotedTurn | null;
};

const SPOKEN = `t.role in ('user', 'agent', 'human')`;
const QUOTED = `jsonb_build_object('index', t.index, 'role', t.role, 'text'`;

/**
 * Returns the messages that a list quotes, by conversation. `words` are the words of a search, or empty if there is no
 * search. A search has already read the turns of these conversations, so reading them again at most doubles the work of
 * the search.
 */
export async function readQuotes(
  db: Db,
  { ids, words }: { ids: readonly string[]; words: readonly string[] },
): Promise<ReadonlyMap<string, Quotes>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<Quotes & { id: string }>(
    `select c.id, last.quoted as last, ${words.length === 0 ? 'null' : 'match.quoted'} as match
       from unnest($1::uuid[]) c (id)
       left join lateral (
         select ${QUOTED}, left(t.text, ${QUOTE_MAX + 1})) as quoted from turns t
          where t.conversation_id = c.id and ${SPOKEN} and t.text <> ''
          order by t.index desc limit 1) last on true
       ${words.length === 0 ? '' : MATCH}`,
    words.length === 0 ? [ids] : [ids, words.map(anywhere)],
  );
  return new Map(rows.map(({ id, last, match }) => [id, { last, match }]));
}

const MATCH = `left join lateral (
  select ${QUOTED}, t.text) as quoted
    from turns t, lateral (
      select count(*) as matching from unnest($2::text[]) w (pattern)
       where lower(t.text) like lower(w.pattern)) m
   where t.conversation_id = c.id and ${SPOKEN} and m.matching > 0
   order by m.matching desc, t.index limit 1) match on true`;
