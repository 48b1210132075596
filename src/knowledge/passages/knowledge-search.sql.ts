import type { Db } from '../../platform/postgres/pool.ts';

/** Passages to search: those of certain owners, or of all sources in a namespace. Ids are UUIDs. */
export type SearchScope = {
  namespace: string;
  /** Ids of sources, and of agents whose answers to gaps are searched. */
  owners: readonly string[];
  /**
   * Whether all sources in the namespace are searched in addition to `owners`. `with answers` adds the answers of all
   * agents.
   */
  all: boolean | 'with answers';
};

/** A word to search for. All alternatives for the same word of the question share the same number in `term`. */
export type AskedWord = {
  term: number;
  /** The word in lower case, without accents and not yet stemmed. */
  word: string;
  /** Whether the word belongs to the question itself. The value is false for words of the text around it. */
  counts: boolean;
  /** Closeness to the word of the question: 1 for that word itself, less for a synonym. */
  closeness: number;
};

/** Index entries that match the words of a question. */
export type Postings = {
  /** Number of passages that belong to the searched owners. */
  passages: number;
  /**
   * The stems of each term of the question. If the owners have several languages, a term has a stem for each of them.
   */
  asked: readonly { term: number; lexeme: string }[];
  /** Terms that are stop words in one of the languages. */
  stopped: readonly number[];
  /**
   * Stems to search for, each with its term. They come from the question's own words, from synonyms and from
   * corrections. Each stem occurs in some passage.
   */
  meant: readonly { term: number; lexeme: string; closeness: number }[];
  lexemes: readonly LexemePostings[];
};

export type LexemePostings = {
  lexeme: string;
  /** Document frequency: number of the searched owners' passages that contain the word. */
  df: number;
  /**
   * Concatenated entries, one for each owner whose passages contain the word: the UUID of the owner as text, `a` for
   * answers or `s` for a source, the number of postings, and the postings (see `posting-lists.ts`). `null` if there
   * are too many postings to read.
   */
  lists: Buffer | null;
};

/** Minimum trigram similarity between a known word and a word that is presumably mistyped. */
const TYPO_SIMILARITY = 0.4;
/** Similarity assigned to a word with two swapped letters, which shares few trigrams. */
const SWAP_SIMILARITY = 0.8;
/** Similarity assigned to a word with a different ending, in a language that is not stemmed or not recognized. */
const ENDING_SIMILARITY = 0.45;
const ENDING_CHARS_MIN = 5;
/**
 * Maximum number of candidates for the correction of a word. The candidates are the known words that are most similar
 * to the mistyped word. The most similar candidate is chosen or, of several equally similar ones, the most frequent.
 */
const TYPO_CANDIDATES = 8;
/** Maximum number of postings that are read for one question. The lists of the rarest words are read first. */
const POSTINGS_MAX = 300_000;

const OWNERS = 'p.owner_id = any($2::uuid[])';
const CONDITIONS = {
  some: OWNERS,
  all: `(not p.is_answers or ${OWNERS})`,
  everything: 'cardinality($2::uuid[]) >= 0',
};

/**
 * Returns SQL for the rows of a word, which form one range of the primary key. `offset 0` enforces the use of that
 * range. Otherwise PostgreSQL may use a plan that it cached when the table had few words, and read the rows of all
 * tenants.
 */
const rowsOf = (lexeme: string, condition: string): string =>
  `(select p.owner_id, p.is_answers, p.chunks, p.postings from knowledge_postings p
     where p.lexeme = ${lexeme} and p.namespace = $1 and ${condition} offset 0)`;

/** Returns SQL for whether an owner has passages. */
export const hasPassages = (owner: { id: string; namespace: string }): string =>
  `exists (select from knowledge_postings p
     where p.lexeme = '' and p.namespace = ${owner.namespace} and p.owner_id = ${owner.id})`;

/**
 * Returns SQL for the rows of lists, which hides the length of the lists from the planner. Otherwise PostgreSQL
 * expects less work for short lists than for lists of unknown length, and therefore plans the statement again for each
 * search. Planning took 1.0 of the 1.5 ms that a search took.
 */
const listsIn = (...lists: string[]): string =>
  `unnest(${lists.map((list) => `(select ${list})`).join(', ')})`;

/** SQL for the posting lists of a word. */
const LISTS = `string_agg(convert_to(p.owner_id::text || case when p.is_answers then 'a' else 's' end, 'UTF8')
    || parley_place(p.chunks) || p.postings, ''::bytea)`;

/**
 * Returns SQL for the words of a question: `asked` has their stems, and `known` has the stems that occur in passages of
 * the owners, with their frequency.
 */
const stemsOf = (condition: string): string => `
  with owners as materialized (
    select * from ${rowsOf("''", condition)} p
  ), configurations as materialized (
    select distinct l::regconfig as configuration
      from (select distinct substring(postings from 5) as names from owners) o
     cross join string_to_table(convert_from(o.names, 'UTF8'), ',') l
  ), stems as materialized (
    -- The operator % below has its bound from a setting; this one ends with the transaction.
    select w.term, w.counts, w.closeness, t.lexeme collate "C" as lexeme,
           set_config('pg_trgm.similarity_threshold', '${TYPO_SIMILARITY}', true) as bound
      from ${listsIn('$3::integer[]', '$4::text[]', '$5::boolean[]', '$6::real[]')} as w (term, word, counts, closeness)
     cross join configurations c
      left join lateral unnest(to_tsvector(c.configuration, w.word)) t on true
  ), asked as materialized (
    select term, counts, lexeme, max(closeness) as closeness, max(bound) as bound
      from stems where lexeme is not null group by term, counts, lexeme
  ), known as materialized (
    select a.lexeme, k.df
      from (select distinct lexeme from asked) a
     cross join lateral (select sum(p.chunks) as df from ${rowsOf('a.lexeme', condition)} p) k
     where k.df is not null`;

/**
 * Returns SQL that corrects the words of the question that occur in none of the searched passages. Each is replaced by
 * the most similar word that does occur in these passages.
 */
const correctedOf = (condition: string): string => `
  ), unknown as materialized (
    -- Only words of the question itself are corrected, and none that has another way to be said.
    select a.term, a.lexeme from asked a
     where a.counts and a.closeness = 1 and a.bound is not null
       and length(a.lexeme) >= 4 and a.lexeme !~ '[0-9]'
       and not exists (select from asked b join known k on k.lexeme = b.lexeme where b.term = a.term)
  ), corrected as materialized (
    select a.term, n.lexeme, n.df, sqrt(n.closeness)::real as closeness
      from unknown a cross join lateral (
        select w.lexeme, w.closeness, k.df
          from (
            select * from (
              -- In the collation of its index, which is not looked at for another one.
              select lexeme collate "C" as lexeme, similarity(lexeme, a.lexeme) as closeness
                from knowledge_words where lexeme % (a.lexeme collate "default")
              union all
              select lexeme collate "C", ${ENDING_SIMILARITY}::real
                from knowledge_words
               where length(a.lexeme) >= ${ENDING_CHARS_MIN}
                 and lexeme like (left(a.lexeme, greatest(4, (length(a.lexeme) * 2 + 2) / 3)) || '%') collate "default"
                 and abs(length(lexeme) - length(a.lexeme)) <= 4
              union all
              select left(a.lexeme, i - 1) || substr(a.lexeme, i + 1, 1) || substr(a.lexeme, i, 1)
                       || substr(a.lexeme, i + 2), ${SWAP_SIMILARITY}::real
                from generate_series(1, length(a.lexeme) - 1) as i
               order by 2 desc, 1 offset 0
            ) similar_words
             where exists (select from ${rowsOf('similar_words.lexeme', condition)} p)
             limit ${TYPO_CANDIDATES}
          ) w
          cross join lateral (select sum(p.chunks) as df from ${rowsOf('w.lexeme', condition)} p) k
         order by w.closeness desc, k.df desc, w.lexeme limit 1
      ) n`;

/**
 * SQL that selects the words to search for. `walked` marks the rarest words, whose postings together stay within
 * `POSTINGS_MAX`. `rarest` marks the single rarest word, some of whose postings are always read.
 */
const BUDGETED = `
  ), meant as materialized (
    select a.term, a.lexeme, a.closeness, k.df from asked a join known k on k.lexeme = a.lexeme
    union all
    select term, lexeme, closeness, df from corrected
  ), budgeted as materialized (
    select lexeme, df, sum(df) over rarest <= ${POSTINGS_MAX} as walked,
           row_number() over rarest = 1 as rarest
      from (select distinct lexeme, df from meant) m window rarest as (order by df, lexeme)
  )`;

const ABOUT = `
  select json_build_object(
           'passages', (select coalesce(sum(chunks), 0) from owners),
           'asked', (select coalesce(json_agg(json_build_object('term', term, 'lexeme', lexeme)), '[]')
                       from asked where closeness = 1),
           'stopped', (select coalesce(json_agg(distinct term), '[]') from stems
                        where lexeme is null and closeness = 1),
           'meant', (select coalesce(json_agg(json_build_object('term', term, 'lexeme', lexeme,
                                                                'closeness', closeness)), '[]')
                       from meant)
         )::text as about, null::bytea as lists`;

const listsOf = (condition: string): string => `
  union all
  select json_build_object('lexeme', b.lexeme, 'df', b.df)::text,
         case
           when b.walked then (
             select ${LISTS}
               from ${rowsOf('b.lexeme', condition)} p)
           -- Even of the rarest word not more than that, of the smallest owners first.
           when b.rarest then (
             select ${LISTS}
               from (select *, sum(chunks) over (order by chunks, owner_id) as so_far
                       from ${rowsOf('b.lexeme', condition)} p) p
              where p.so_far <= ${POSTINGS_MAX})
         end
    from budgeted b`;

/** Returns SQL for the words of the question, after the correction of unknown words, and for their posting lists. */
const postingsOf = (condition: string): string =>
  stemsOf(condition) + correctedOf(condition) + BUDGETED + ABOUT + listsOf(condition);

const STATEMENTS = [
  { name: 'find_postings', text: postingsOf(CONDITIONS.some) },
  { name: 'find_postings_of_all', text: postingsOf(CONDITIONS.all) },
  { name: 'find_postings_of_everything', text: postingsOf(CONDITIONS.everything) },
] as const;

/** Returns the postings of a question's words in the passages within a scope. */
export async function findPostings(
  db: Db,
  { scope, words }: { scope: SearchScope; words: readonly AskedWord[] },
): Promise<Postings> {
  const { namespace, owners, all } = scope;
  const { name, text } = STATEMENTS[all === 'with answers' ? 2 : all ? 1 : 0];
  // A separate variable avoids TypeScript's excess property check: pg supports `binary`, but its types do not declare
  // it.
  const statement = {
    name,
    text,
    values: [
      namespace,
      owners,
      words.map(({ term }) => term),
      words.map(({ word }) => word),
      words.map(({ counts }) => counts),
      words.map(({ closeness }) => closeness),
    ],
    ...BYTEA_AS_BYTES,
  };
  const { rows } = await db.query<{ about: string; lists: Buffer | null }>(statement);
  const [first, ...lexemes] = rows;
  return {
    ...(JSON.parse(first!.about) as Omit<Postings, 'lexemes'>), // `ABOUT` always returns one row, the first.
    lexemes: lexemes.map(({ about, lists }) => ({
      ...(JSON.parse(about) as Pick<LexemePostings, 'lexeme' | 'df'>),
      lists,
    })),
  };
}

export type PassageRow = {
  ownerId: string;
  position: number;
  chunkId: string;
  documentId: string | null;
  sourceId: string | null;
  gapId: string | null;
  heading: string;
  /** Text of the passage; `null` if only the heading was requested. */
  text: string | null;
  /** Proximity of the question's words to each other in the passage. Words in the heading weigh more. */
  nearness: number;
  /** Searched words that the heading contains, and those that the text contains. */
  inHeading: string[];
  inText: string[];
  /**
   * Stems of each question of the gap to which this answer belongs; `null` if the passage is not an answer or only its
   * heading was requested.
   */
  asks: string[] | null;
  /** Questions of the gap to which this answer belongs; `null` if the passage is not an answer. */
  wordings: string[] | null;
};

/**
 * Reads passages by position. Omits deleted ones. The first `whole` passages are read completely, and the others only
 * with their heading. `words` are the stems that were searched for.
 */
export async function readPassages(
  db: Db,
  input: {
    places: readonly { ownerId: string; position: number }[];
    whole: number;
    words: readonly string[];
  },
): Promise<PassageRow[]> {
  const { rows } = await db.query<PassageRow>({
    name: 'read_passages',
    // PostgreSQL decompresses a stored tsvector for each expression that reads it. The query avoids such repeated work:
    // `ts_filter` makes one plain copy for all words, `searched` parses each word once, and `ts_rank_cd` gets only
    // words that the passage contains. `offset 0` ensures that the lateral rows are computed once.
    text: `with searched as materialized (
             select w as word, quote_literal(w)::tsquery as anywhere,
                    (quote_literal(w) || ':A')::tsquery as heading,
                    (quote_literal(w) || ':D')::tsquery as text
               from ${listsIn('$3::text[]')} w
           )
           select c.owner_id as "ownerId", c.position, c.id as "chunkId",
                  c.document_id as "documentId", c.source_id as "sourceId", c.gap_id as "gapId",
                  c.heading, c.text,
                  coalesce(ts_rank_cd(c.words, (
                    select string_agg(s.anywhere::text, ' | ')::tsquery
                      from searched s where c.words @@ s.anywhere), 1), 0) as nearness,
                  array(select s.word from searched s where c.words @@ s.heading) as "inHeading",
                  array(select s.word from searched s where c.words @@ s.text) as "inText",
                  case when p.at <= $4 and c.gap_id is not null
                       then array(select q.fingerprint from knowledge_gap_questions q
                                   where q.gap_id = c.gap_id) end as asks,
                  case when c.gap_id is not null
                       then array(select q.text from knowledge_gap_questions q
                                   where q.gap_id = c.gap_id) end as wordings
             from ${listsIn('$1::uuid[]', '$2::integer[]')} with ordinality as p (owner_id, position, at)
             -- Behind offset 0 also for the same reason as a word of an owner.
            cross join lateral (
              select c.owner_id, c.position, c.id, c.document_id, c.source_id, c.gap_id, c.heading,
                     case when p.at <= $4 then c.text end as text,
                     case when p.at <= $4 then ts_filter(c.words, '{a,d}') end as words
                from knowledge_chunks c
               where c.owner_id = p.owner_id and c.position = p.position offset 0
            ) c`,
    values: [
      input.places.map(({ ownerId }) => ownerId),
      input.places.map(({ position }) => position),
      input.words,
      input.whole,
    ],
  });
  return rows;
}

/**
 * Options that make pg return bytes in binary, which takes half the space of the text format that pg requests by
 * default. With these options, pg decodes every other column as UTF-8 text, so a query must return only bytes and text.
 */
const BYTEA_AS_BYTES = {
  binary: true,
  types: {
    getTypeParser: (oid: number) => (bytes: Buffer) => (oid === BYTEA ? bytes : String(bytes)),
  },
};

const BYTEA = 17;
