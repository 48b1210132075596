import type { Db } from '../../platform/postgres/pool.ts';
import { configurationOf } from './languages.ts';

/**
 * This module maintains the inverted index of passages (docs/decisions/0043). For each word and owner (a source or an
 * agent), it stores a posting for each passage that contains the word. A writer must lock the owner first.
 */

/**
 * Returns a query with a longer timeout. pg supports `query_timeout` per statement, but its types do not declare it.
 * A query with a name is parsed and planned once per connection; for a small source, that takes longer than to run it.
 */
export function long(text: string, values: unknown[], name?: string) {
  return { text, values, query_timeout: INDEX_TIMEOUT_MS, ...(name !== undefined && { name }) };
}

/** Timeout in ms for statements that index a file of 20 MB, which take longer than the usual statement timeout. */
export const INDEX_TIMEOUT_MS = 120_000;

/**
 * Returns SQL that selects the words of the passages that match the SQL condition `passages`. The result has one row
 * per word and owner, with the word's postings.
 */
const postingsOf = (passages: string): string => `
  select w.lexeme, w.namespace, w.owner_id, w.is_answers, count(*),
         string_agg(w.posting, ''::bytea order by w.place)
    from (
      -- Behind offset 0, so that postings are sorted and not the texts they are made of.
      select l.lexeme collate "C" as lexeme, c.namespace, c.owner_id,
             c.agent_id is not null as is_answers, c.position as place,
             parley_posting(c.position, l.weights, octet_length(c.text)) as posting
        from knowledge_chunks c cross join lateral unnest(c.words) l
       where ${passages} offset 0
    ) w
   group by w.lexeme, w.namespace, w.owner_id, w.is_answers`;

const INTO = `insert into knowledge_postings as p
    (lexeme, namespace, owner_id, is_answers, chunks, postings)`;

/**
 * Rebuilds the index of an owner from its passages.
 * @param languages ISO 639-1 codes of the passages; passages with the language `null` are stemmed as English
 */
export async function indexOwner(
  db: Db,
  ownerId: string,
  languages: readonly (string | null)[] = [null],
): Promise<void> {
  await deletePostings(db, ownerId);
  await indexNew(db, ownerId, languages);
}

/** Like `indexOwner`, for an owner that has no passages in the index. */
export async function indexNew(
  db: Db,
  ownerId: string,
  languages: readonly (string | null)[],
): Promise<void> {
  await db.query(long(`${INTO} ${postingsOf('c.owner_id = $1')}`, [ownerId], 'index_new_passages'));
  await Promise.all([countPassages(db, ownerId, languages), learnWords(db, ownerId, 0)]);
}

async function deletePostings(db: Db, ownerId: string): Promise<void> {
  await dropOldIndex(db, ownerId);
  await db.query(
    long(`delete from knowledge_postings where owner_id = $1 and lexeme <> ''`, [ownerId]),
  );
}

/**
 * Deletes the index that an earlier release wrote for an owner, because that index may contain words that must be
 * erased. Returns true if there was such an index. In that case the owner's postings are deleted as well (by a
 * trigger), and the caller must rebuild them.
 */
export async function dropOldIndex(db: Db, ownerId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    long('delete from knowledge_lexemes where owner_id = $1', [ownerId], 'drop_old_index'),
  );
  return (rowCount ?? 0) > 0;
}

/** Deletes everything in the index that belongs to an owner. */
export async function forgetOwner(db: Db, ownerId: string): Promise<void> {
  await deletePostings(db, ownerId);
  await db.query(`delete from knowledge_postings where owner_id = $1 and lexeme = ''`, [ownerId]);
}

/**
 * Indexes an owner's passages from position `first` on. These positions must be higher than all that are already
 * indexed.
 */
export async function indexFrom(
  db: Db,
  ownerId: string,
  { first, languages }: { first: number; languages: readonly (string | null)[] },
): Promise<void> {
  await db.query(
    long(`${INTO} ${postingsOf('c.owner_id = $1 and c.position >= $2')} ${APPENDED}`, [
      ownerId,
      first,
    ]),
  );
  await countPassages(db, ownerId, languages);
  await learnWords(db, ownerId, first);
}

/**
 * Indexes a single passage, which is the answer to a gap. Unlike in `indexFrom`, its position may be lower than
 * positions that are already indexed, because a changed answer keeps its position.
 */
export async function indexChunk(db: Db, ownerId: string, position: number): Promise<void> {
  await db.query(`${INTO} ${postingsOf('c.owner_id = $1 and c.position = $2')} ${APPENDED}`, [
    ownerId,
    position,
  ]);
  await countPassages(db, ownerId, [null]);
  await learnWords(db, ownerId, position);
}

const APPENDED = `on conflict (lexeme, namespace, owner_id) do update
  set chunks = p.chunks + excluded.chunks, postings = p.postings || excluded.postings`;

/**
 * Returns SQL that removes passages from the index. `gone` is a statement that deletes passages of one owner. The
 * caller must also call `countPassages`, because this SQL does not update the number of passages.
 */
export function withoutPassages(gone: string): string {
  return `
  with gone as (${gone} returning id, namespace, owner_id, position, words),
  changed as materialized (
    select g.namespace, g.owner_id, w.lexeme collate "C" as lexeme,
           array_agg(parley_place(g.position)) as places
      from gone g cross join lateral unnest(g.words) w group by 1, 2, 3
  ), emptied as (
    delete from knowledge_postings p using changed c
     where p.lexeme = c.lexeme and p.namespace = c.namespace and p.owner_id = c.owner_id
       and p.chunks <= cardinality(c.places)
  ), shortened as (
    update knowledge_postings p
       set chunks = p.chunks - cardinality(c.places),
           postings = (
             select coalesce(string_agg(s.posting, ''::bytea order by s.i), '')
               from (
                 -- Read once, behind offset 0: each substring of a stored list is a look of its own.
                 select i, substring(stored.list from i * 5 + 1 for 5) as posting
                   from (select p.postings || ''::bytea as list offset 0) stored
                  cross join generate_series(0, octet_length(stored.list) / 5 - 1) i
               ) s
              where not exists (
                select from unnest(c.places) r (place) where r.place = substring(s.posting for 4)
              )
           )
      from changed c
     where p.lexeme = c.lexeme and p.namespace = c.namespace and p.owner_id = c.owner_id
       and p.chunks > cardinality(c.places)
  )`;
}

/**
 * Stores the number of an owner's passages and the names of the text search configurations that stem them. Only adds
 * configurations and never removes any: `forgetOwner` deletes them together with the owner's index.
 */
export async function countPassages(
  db: Db,
  ownerId: string,
  languages: readonly (string | null)[],
): Promise<void> {
  const { rowCount } = await db.query({
    name: 'count_passages',
    text: `${INTO}
     select '', o.namespace, $1, o.is_answers, o.chunks, int4send(o.next) || convert_to($2, 'UTF8')
       from (
         select namespace, agent_id is not null as is_answers, count(*) as chunks,
                max(position) + 1 as next
           from knowledge_chunks where owner_id = $1 group by 1, 2
       ) o
     on conflict (lexeme, namespace, owner_id) do update
       set chunks = excluded.chunks,
           postings = greatest(substring(p.postings for 4), substring(excluded.postings for 4))
             || (select convert_to(string_agg(distinct l, ','), 'UTF8')
                   from string_to_table(convert_from(substring(p.postings from 5), 'UTF8') || ',' || $2,
                                        ',') l where l <> '')`,
    values: [ownerId, [...new Set(languages.map(configurationOf))].join(',')],
  });
  if (rowCount !== 0) return;
  await db.query(`update knowledge_postings set chunks = 0 where owner_id = $1 and lexeme = ''`, [
    ownerId,
  ]);
}

/** Counts the distinct words in the passages of an owner. */
export async function countWords(db: Db, ownerId: string): Promise<number> {
  const { rows } = await db.query<{ words: number }>(
    `select count(*) as words from knowledge_postings where owner_id = $1 and lexeme <> ''`,
    [ownerId],
  );
  return rows[0]!.words; // `rows[0]` exists, because an aggregate returns one row.
}

/** Returns the next free position among the passages of an owner. Positions are never reused. */
export async function nextPosition(db: Db, ownerId: string): Promise<number> {
  const { rows } = await db.query<{ next: number }>({
    name: 'next_position',
    text: `select greatest(
       (select max(position) + 1 from knowledge_chunks where owner_id = $1),
       (select ('x' || encode(substring(postings for 4), 'hex'))::bit(32)::integer
          from knowledge_postings where lexeme = '' and owner_id = $1),
       0) as next`,
    values: [ownerId],
  });
  return rows[0]!.next; // `rows[0]` exists, because a query without a table returns one row.
}

/**
 * Maximum number of words that one source adds to the list for spelling correction. The words that occur in the most
 * passages are added first. The words of all tenants share one table, so no tenant may fill it with words that occur in
 * a single passage.
 */
const WORDS_LEARNT_MAX = 20_000;

/**
 * Saves the words of passages from position `first` on, for the correction of mistyped words. Inserts the words in
 * sorted order, so that concurrent writers of the same words wait for each other instead of deadlocking. Inserts only
 * new words, so that writers rarely wait.
 */
async function learnWords(db: Db, ownerId: string, first: number): Promise<void> {
  const learnt =
    first === 0
      ? `select lexeme, chunks from knowledge_postings where owner_id = $1 and lexeme <> '' and $2 = 0`
      : `select w.lexeme, count(*) as chunks from knowledge_chunks c cross join lateral unnest(c.words) w
          where c.owner_id = $1 and c.position >= $2 group by w.lexeme`;
  const statement = long(
    `insert into knowledge_words (lexeme)
     select l.lexeme
       from (select lexeme from (${learnt}) w order by chunks desc, lexeme limit ${WORDS_LEARNT_MAX}) l
      where length(l.lexeme) between 4 and 32 and l.lexeme !~ '[0-9]'
        and not exists (
          select from knowledge_words w where w.lexeme = l.lexeme collate "default"
        )
      order by l.lexeme
     on conflict do nothing`,
    [ownerId, first],
    first === 0 ? 'learn_words' : 'learn_more_words',
  );
  await db.query(statement);
}

/**
 * Removes words that no passage contains any longer. Call this after all insertions of the transaction. It locks the
 * words in sorted order, so that concurrent callers wait for each other instead of deadlocking.
 */
export async function forgetWords(db: Db, lexemes: readonly string[]): Promise<void> {
  await db.query(
    `delete from knowledge_words where lexeme in (
       select w.lexeme from knowledge_words w
        where w.lexeme = any($1::text[])
          and not exists (select from knowledge_postings p where p.lexeme = w.lexeme collate "C")
        order by w.lexeme collate "C" for update)`,
    [lexemes],
  );
}
