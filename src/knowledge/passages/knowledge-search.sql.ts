import type { Db } from '../../platform/postgres/pool.ts';

/** A word of a question and where it occurs: a row for each owner that has it. */
export type PostingRow = {
  /** The stem of the word as it was asked. */
  asked: string;
  /** As it is in the passages; null: no passage has it, or anything like it. */
  lexeme: string | null;
  /** Whether it is part of the question, not only of the text around it. */
  counts: boolean;
  /** 1: as it was asked; less: probably meant. */
  closeness: number;
  /** Passages that have it, of all owners searched. */
  df: number;
  /** Passages of all owners searched. */
  passages: number;
  ownerId: string | null;
  /** Positions of the passages, ascending, int4 each; null: too many to read. */
  positions: Buffer | null;
};

/** A word this similar, by trigrams, is taken for the one that was meant. */
const TYPO_SIMILARITY = 0.4;
/** Of a word with two letters swapped, which has few of the trigrams left. */
const SWAP_SIMILARITY = 0.8;
/** Positions returned for one question, the lists of its rarest words first. */
const POSITIONS_MAX = 300_000;

/**
 * A word of an owner, by the key. Behind `offset 0`, so that this is all a plan can do: the plan is kept,
 * and one of when there were few words reads those of all tenants.
 */
const wordOf = (owner: string, lexeme: string): string =>
  `lateral (select l.owner_id, l.chunks, l.positions from knowledge_lexemes l
             where l.owner_id = ${owner} and l.lexeme = ${lexeme} offset 0)`;

/** The words of the question, unknown ones corrected, and the lists of where they occur. */
const POSTINGS = `
  with owners as materialized (
    -- Behind a subquery the planner cannot count them: it would plan anew for each number of them,
    -- which takes longer than all the rest.
    select unnest(ids) as owner_id from (select $1::uuid[] as ids offset 0) given
  ), asked as materialized (
    -- The operator % below has its bound from a setting; this one ends with the transaction.
    select lexeme, bool_or(counts) as counts,
           set_config('pg_trgm.similarity_threshold', '${TYPO_SIMILARITY}', true) as bound
      from (
      select lexeme, true as counts from unnest(to_tsvector('english', $2))
      union all
      select lexeme, false from unnest(to_tsvector('english', $3))
    ) w group by lexeme
  ), known as materialized (
    select a.lexeme, a.counts, sum(k.chunks) as df
      from asked a cross join owners o cross join ${wordOf('o.owner_id', 'a.lexeme')} k
     group by a.lexeme, a.counts
  ), meant as materialized (
    select lexeme as asked, lexeme, counts, df, 1::real as closeness from known
    union all
    select a.lexeme, n.lexeme, a.counts, coalesce(n.df, 0), coalesce(sqrt(n.closeness), 0)::real
      from asked a left join lateral (
        select w.lexeme, w.closeness, k.df
          from (
            select lexeme, similarity(lexeme, a.lexeme) as closeness
              from knowledge_words where lexeme % a.lexeme
            union all
            select left(a.lexeme, i - 1) || substr(a.lexeme, i + 1, 1) || substr(a.lexeme, i, 1)
                     || substr(a.lexeme, i + 2), ${SWAP_SIMILARITY}::real
              from generate_series(1, length(a.lexeme) - 1) as i
          ) w
          cross join lateral (
            select sum(l.chunks) as df
              from owners o cross join ${wordOf('o.owner_id', 'w.lexeme')} l
          ) k
         where k.df is not null
         order by w.closeness desc, k.df desc, w.lexeme limit 1
      ) n on length(a.lexeme) >= 4 and a.lexeme !~ '[0-9]'
     -- Only words of the question itself are corrected.
     where a.counts and a.bound is not null and a.lexeme not in (select lexeme from known)
  ), budgeted as materialized (
    select *, sum(df) over rarest <= ${POSITIONS_MAX} or row_number() over rarest = 1 as walked
      from meant window rarest as (order by df, lexeme)
  )
  select b.asked, b.lexeme, b.counts, b.closeness, b.df::integer, p.n::integer as passages,
         k.owner_id as "ownerId", case when b.walked and k.walked then k.positions end as positions
    from budgeted b
   cross join (
     select coalesce(sum(l.chunks), 0) as n
       from owners o cross join ${wordOf('o.owner_id', "''")} l
   ) p
    left join lateral (
      -- Even of the rarest word not more than that, of the smallest owners first.
      select l.owner_id, l.positions,
             sum(l.chunks) over (order by l.chunks, l.owner_id) <= ${POSITIONS_MAX} as walked
        from owners o cross join ${wordOf('o.owner_id', 'b.lexeme')} l
    ) k on true`;

/**
 * Where the words of a question occur in the passages of some owners: sources, and agents for the
 * answers to their gaps. `question` and `context` as `askedWords` returns them.
 */
export async function findPostings(
  db: Db,
  input: { owners: readonly string[]; question: string; context: string },
): Promise<PostingRow[]> {
  const { rows } = await db.query<PostingRow>({
    name: 'find_postings',
    text: POSTINGS,
    values: [input.owners, input.question, input.context],
  });
  return rows;
}

export type PassageRow = {
  ownerId: string;
  position: number;
  chunkId: string;
  documentId: string | null;
  sourceId: string | null;
  gapId: string | null;
  heading: string;
  text: string;
  /** How near to each other the words are; those of headings count more. */
  nearness: number;
  /** The words of `unwalked` that it has. */
  has: string[];
  /** Of an answer to a gap, the stems of its question; null: it is no answer. */
  asks: string[] | null;
};

/**
 * Passages by their places; one that is gone is left out. `words`: those looked for; `unwalked`:
 * those whose lists were too long.
 */
export async function readPassages(
  db: Db,
  input: {
    places: readonly { ownerId: string; position: number }[];
    words: readonly string[];
    unwalked: readonly string[];
  },
): Promise<PassageRow[]> {
  const { rows } = await db.query<PassageRow>({
    name: 'read_passages',
    text: `select c.owner_id as "ownerId", c.position, c.id as "chunkId",
                  c.document_id as "documentId", c.source_id as "sourceId", c.gap_id as "gapId",
                  c.heading, c.text, ts_rank_cd(c.words, q.query, 1) as nearness,
                  array(select u from unnest($4::text[]) u
                         where c.words @@ quote_literal(u)::tsquery) as has,
                  case when c.gap_id is not null
                       then tsvector_to_array(ts_filter(c.words, '{a}')) end as asks
             from unnest($1::uuid[], $2::integer[]) as p (owner_id, position)
             -- Behind offset 0 for the same reason as a word of an owner.
            cross join lateral (
              select c.* from knowledge_chunks c
               where c.owner_id = p.owner_id and c.position = p.position offset 0
            ) c
            cross join (
              select string_agg(quote_literal(w), ' | ')::tsquery as query
                from unnest($3::text[]) w
            ) q`,
    values: [
      input.places.map(({ ownerId }) => ownerId),
      input.places.map(({ position }) => position),
      input.words,
      input.unwalked,
    ],
  });
  return rows;
}
