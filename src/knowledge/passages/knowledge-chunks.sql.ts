import { paced } from '../../platform/postgres/paced.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { packChunks, type NewChunk } from './packed-chunks.ts';

/**
 * Passages and the index of their words. A writer locks the owner: the row of the source or, for
 * answers to gaps, by `lockAnswers`.
 */

/** A passage of a source, or an answer to a gap of an agent. Ids are uuids. */
export type ChunkOwner =
  | { namespace: string; sourceId: string; documentId: string }
  | { namespace: string; agentId: string; gapId: string };

export async function insertChunks(
  db: Db,
  owner: ChunkOwner,
  chunks: Iterable<NewChunk>,
): Promise<void> {
  await insertBatches(db, owner, { batches: packChunks(chunks), first: 0 });
}

/** A statement for each batch, so that none is long. `first` is added to the positions in them. */
export async function insertBatches(
  db: Db,
  owner: ChunkOwner,
  { batches, first }: { batches: Iterable<Uint8Array>; first: number },
): Promise<void> {
  const source = 'sourceId' in owner ? owner : { sourceId: null, documentId: null };
  const answer = 'agentId' in owner ? owner : { agentId: null, gapId: null };
  const { namespace } = owner;
  const of = [source.sourceId, source.documentId, answer.agentId, answer.gapId];
  for await (const batch of paced(batches)) {
    await db.query(INSERT_BATCH, [namespace, ...of, first, batch]);
  }
}

const INSERT_BATCH = `
  insert into knowledge_chunks
       (id, namespace, source_id, document_id, agent_id, gap_id, position, heading, text, words)
  select c.id, $1, $2, $3, $4, $5, $6 + c.position, c.heading, c.text,
         setweight(to_tsvector('english', c.heading_words), 'A')
           || to_tsvector('english', c.text_words)
    from json_to_recordset($7::json) as c (id uuid, position integer, heading text, text text,
                                           heading_words text, text_words text)`;

/** Deletes the passages of a source and their index. Returns how many passages there were. */
export async function deleteSourceChunks(db: Db, sourceId: string): Promise<number> {
  await db.query(long('delete from knowledge_lexemes where owner_id = $1', [sourceId]));
  const { rowCount } = await db.query(
    long('delete from knowledge_chunks where owner_id = $1', [sourceId]),
  );
  return rowCount ?? 0;
}

/** The next free place among the passages of an owner. */
export async function nextPosition(db: Db, ownerId: string): Promise<number> {
  const { rows } = await db.query<{ next: number }>(
    'select coalesce(max(position) + 1, 0) as next from knowledge_chunks where owner_id = $1',
    [ownerId],
  );
  return rows[0]!.next; // An aggregate has one row.
}

/** Until the end of the transaction: a file of 20 MB takes longer than a statement usually may. */
export async function allowLongStatements(db: Db): Promise<void> {
  await db.query(`set local statement_timeout = ${INDEX_TIMEOUT_MS}`);
}

const INDEX_TIMEOUT_MS = 120_000;

/** The same for pg, which knows `query_timeout` of a statement; its types do not. */
function long(text: string, values: unknown[]) {
  return { text, values, query_timeout: INDEX_TIMEOUT_MS };
}

/** Builds the index of an owner anew from its passages. */
export async function indexOwner(db: Db, ownerId: string): Promise<void> {
  await db.query('delete from knowledge_lexemes where owner_id = $1', [ownerId]);
  const statement = long(
    `insert into knowledge_lexemes (owner_id, lexeme, chunks, positions)
     select $1, w.lexeme, count(*), string_agg(int4send(c.position), '' order by c.position)
       from knowledge_chunks c cross join lateral unnest(c.words) w
      where c.owner_id = $1
      group by w.lexeme
     union all
     select $1, '', count(*), '' from knowledge_chunks where owner_id = $1
     having count(*) > 0`,
    [ownerId],
  );
  await db.query(statement);
  await learnWords(db, ownerId);
}

/** The positions of a word, ascending, with another one: big-endian bytes compare as their numbers. */
const placed = `(select string_agg(p, '' order by p) from (
    select substring(l.positions from i * 4 + 1 for 4)
      from generate_series(0, octet_length(l.positions) / 4 - 1) i
     union all select excluded.positions) as all_of (p))`;

/** Adds the passage at a position to the index of its owner. */
export async function indexChunk(db: Db, ownerId: string, position: number): Promise<void> {
  await db.query(
    `insert into knowledge_lexemes as l (owner_id, lexeme, chunks, positions)
     select $1, w.lexeme, 1, int4send($2)
       from knowledge_chunks c cross join lateral unnest(c.words) w
      where c.owner_id = $1 and c.position = $2
     union all
     select $1, '', 1, ''
     on conflict (owner_id, lexeme) do update
       set chunks = l.chunks + 1, positions = case when l.lexeme = '' then '' else ${placed} end`,
    [ownerId, position],
  );
  await learnWords(db, ownerId, position);
}

/**
 * Of one source: those in most passages. The words of all tenants are looked through together, so
 * nobody may fill them with words that are in one passage each.
 */
const WORDS_LEARNT_MAX = 20_000;

/**
 * Keeps words to find mistyped ones by. Inserted sorted, so that two who add the same ones wait for
 * each other instead of deadlocking; and only new ones, so that there is seldom anything to wait
 * for.
 */
async function learnWords(db: Db, ownerId: string, position?: number): Promise<void> {
  const learnt =
    position === undefined
      ? `select lexeme from knowledge_lexemes where owner_id = $1
          order by chunks desc, lexeme limit ${WORDS_LEARNT_MAX}`
      : `select w.lexeme from knowledge_chunks c cross join lateral unnest(c.words) w
          where c.owner_id = $1 and c.position = $2`;
  const statement = long(
    `insert into knowledge_words (lexeme)
     select l.lexeme from (${learnt}) l
      where length(l.lexeme) between 4 and 32 and l.lexeme !~ '[0-9]'
        and not exists (select from knowledge_words w where w.lexeme = l.lexeme)
      order by l.lexeme
     on conflict do nothing`,
    position === undefined ? [ownerId] : [ownerId, position],
  );
  await db.query(statement);
}

/** Locks the answers of an agent: they are written one after the other. */
export async function lockAnswers(db: Db, agentId: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('knowledge answers ' || $1, 0))`, [
    agentId,
  ]);
}

/**
 * Deletes the answer to a gap and takes it out of the index. Returns the position it had, and its words:
 * `forgetWords` has to be called with them when nothing is added any more.
 */
export async function deleteAnswer(
  db: Db,
  gapId: string,
): Promise<{ position: number | null; lexemes: readonly string[] }> {
  const { rows } = await db.query<{ ownerId: string; position: number; lexemes: string[] }>(
    `delete from knowledge_chunks where gap_id = $1
     returning owner_id as "ownerId", position, tsvector_to_array(words) || array[''] as lexemes`,
    [gapId],
  );
  const [answer] = rows;
  if (!answer) return { position: null, lexemes: [] };
  const { ownerId, position, lexemes } = answer;
  await db.query(
    `update knowledge_lexemes l
        set chunks = chunks - 1,
            positions = (select coalesce(string_agg(p, '' order by p), '')
                           from generate_series(0, octet_length(l.positions) / 4 - 1) i
                          cross join substring(l.positions from i * 4 + 1 for 4) p
                          where p <> int4send($3))
      where owner_id = $1 and lexeme = any($2::text[])`,
    [ownerId, lexemes, position],
  );
  await db.query(
    'delete from knowledge_lexemes where owner_id = $1 and lexeme = any($2::text[]) and chunks = 0',
    [ownerId, lexemes],
  );
  return { position, lexemes };
}

/**
 * Those of the words that nobody has any more leave the vocabulary. Locked in their order, and after all
 * that a transaction adds: so two who do this wait for each other instead of deadlocking.
 */
export async function forgetWords(db: Db, lexemes: readonly string[]): Promise<void> {
  await db.query(
    `delete from knowledge_words where lexeme in (
       select w.lexeme from knowledge_words w
        where w.lexeme = any($1::text[])
          and not exists (select from knowledge_lexemes l where l.lexeme = w.lexeme)
        order by w.lexeme for update)`,
    [lexemes],
  );
}

/**
 * Replaces the questions of answers by `erased` and removes their words from the index: the answer
 * is found by its own words only.
 */
export async function eraseQuestions(
  db: Db,
  gapIds: readonly string[],
  erased: string,
): Promise<void> {
  const { rows } = await db.query<{ ownerId: string }>(
    `update knowledge_chunks set heading = $2, words = ts_filter(words, '{d}')
      where gap_id = any($1::uuid[]) returning owner_id as "ownerId"`,
    [gapIds, erased],
  );
  for (const ownerId of new Set(rows.map((row) => row.ownerId))) {
    await lockAnswers(db, ownerId);
    const { rows: before } = await db.query<{ lexeme: string }>(
      'select lexeme from knowledge_lexemes where owner_id = $1',
      [ownerId],
    );
    await indexOwner(db, ownerId);
    await forgetWords(
      db,
      before.map(({ lexeme }) => lexeme),
    );
  }
}

/** The agents of a namespace that have answers to gaps. */
export async function listAnsweringAgents(db: Db, namespace: string): Promise<string[]> {
  const { rows } = await db.query<{ agentId: string }>(
    `select distinct agent_id as "agentId" from knowledge_chunks
      where namespace = $1 and agent_id is not null`,
    [namespace],
  );
  return rows.map(({ agentId }) => agentId);
}
