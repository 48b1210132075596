import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Passages and the index over their words. Whoever writes holds the lock of the owner: the row
 * of the source or, for answers to gaps, `lockAnswers`.
 */

/** A passage of a source, or an answer to a gap of an agent. Ids are uuids. */
export type ChunkOwner =
  | { namespace: string; sourceId: string; documentId: string }
  | { namespace: string; agentId: string; gapId: string };

export type NewChunk = {
  id: string;
  /** Among the passages of its owner, from 0. */
  position: number;
  heading: string;
  text: string;
  /** Heading and text as `searchableText` has them. */
  headingWords: string;
  textWords: string;
};

/** In one statement, so that 10,000 passages are a few of them and not 10,000. */
const BATCH = 250;

export async function insertChunks(
  db: Db,
  owner: ChunkOwner,
  chunks: Iterable<NewChunk>,
): Promise<void> {
  let batch: NewChunk[] = [];
  for (const chunk of chunks) {
    batch.push(chunk);
    if (batch.length < BATCH) continue;
    await insertBatch(db, owner, batch);
    batch = [];
  }
  if (batch.length > 0) await insertBatch(db, owner, batch);
}

async function insertBatch(db: Db, owner: ChunkOwner, batch: readonly NewChunk[]): Promise<void> {
  const source = 'sourceId' in owner ? owner : { sourceId: null, documentId: null };
  const answer = 'agentId' in owner ? owner : { agentId: null, gapId: null };
  await db.query(
    `insert into knowledge_chunks
         (id, namespace, source_id, document_id, agent_id, gap_id, position, heading, text, words)
       select c.id, $1, $2, $3, $4, $5, c.position, c.heading, c.text,
              setweight(to_tsvector('english', c.heading_words), 'A')
                || to_tsvector('english', c.text_words)
         from unnest($6::uuid[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[])
           as c (id, position, heading, text, heading_words, text_words)`,
    [
      owner.namespace,
      source.sourceId,
      source.documentId,
      answer.agentId,
      answer.gapId,
      batch.map(({ id }) => id),
      batch.map(({ position }) => position),
      batch.map(({ heading }) => heading),
      batch.map(({ text }) => text),
      batch.map(({ headingWords }) => headingWords),
      batch.map(({ textWords }) => textWords),
    ],
  );
}

/** Takes the passages of a source away, and its index with them. Returns how many there were. */
export async function deleteSourceChunks(db: Db, sourceId: string): Promise<number> {
  await db.query('delete from knowledge_lexemes where owner_id = $1', [sourceId]);
  const { rowCount } = await db.query('delete from knowledge_chunks where owner_id = $1', [
    sourceId,
  ]);
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

/** A file of 20 MB is more than an ordinary statement may do; until the end of the transaction. */
export async function allowLongStatements(db: Db): Promise<void> {
  await db.query(`set local statement_timeout = ${INDEX_TIMEOUT_MS}`);
}

const INDEX_TIMEOUT_MS = 120_000;

/** Makes the index of an owner anew from its passages. */
export async function indexOwner(db: Db, ownerId: string): Promise<void> {
  await db.query('delete from knowledge_lexemes where owner_id = $1', [ownerId]);
  // Not a literal in the call: pg knows query_timeout there, its types do not.
  const statement = {
    text: `insert into knowledge_lexemes (owner_id, lexeme, chunks, positions)
     select $1, w.lexeme, count(*), string_agg(int4send(c.position), '' order by c.position)
       from knowledge_chunks c cross join lateral unnest(c.words) w
      where c.owner_id = $1
      group by w.lexeme
     union all
     select $1, '', count(*), '' from knowledge_chunks where owner_id = $1
     having count(*) > 0`,
    values: [ownerId],
    query_timeout: INDEX_TIMEOUT_MS,
  };
  await db.query(statement);
  await learnWords(db, ownerId);
}

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
       set chunks = l.chunks + 1, positions = l.positions || excluded.positions`,
    [ownerId, position],
  );
  await learnWords(db, ownerId, position);
}

/**
 * Words worth looking up when mistyped. In their order, so that two who learn the same ones wait
 * for each other instead of deadlocking; and only new ones, so that mostly nobody waits.
 */
async function learnWords(db: Db, ownerId: string, position?: number): Promise<void> {
  const learnt =
    position === undefined
      ? 'select lexeme from knowledge_lexemes where owner_id = $1'
      : `select w.lexeme from knowledge_chunks c cross join lateral unnest(c.words) w
          where c.owner_id = $1 and c.position = $2`;
  await db.query(
    `insert into knowledge_words (lexeme)
     select l.lexeme from (${learnt}) l
      where length(l.lexeme) between 4 and 32 and l.lexeme !~ '[0-9]'
        and not exists (select from knowledge_words w where w.lexeme = l.lexeme)
      order by l.lexeme
     on conflict do nothing`,
    position === undefined ? [ownerId] : [ownerId, position],
  );
}

/** Answers of one agent are added one after the other. Returns the next position. */
export async function lockAnswers(db: Db, agentId: string): Promise<number> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('knowledge answers ' || $1, 0))`, [
    agentId,
  ]);
  return nextPosition(db, agentId);
}

/**
 * Puts `erased` in the place of the questions that answers were given to, and takes their words out
 * of the index: what is only in a question is found no more, the answer is.
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
    await db.query(
      `delete from knowledge_words w
        where w.lexeme = any($1::text[])
          and not exists (select from knowledge_lexemes l where l.lexeme = w.lexeme)`,
      [before.map(({ lexeme }) => lexeme)],
    );
  }
}

/** Agents of a namespace that have answers to gaps. */
export async function listAnsweringAgents(db: Db, namespace: string): Promise<string[]> {
  const { rows } = await db.query<{ agentId: string }>(
    `select distinct agent_id as "agentId" from knowledge_chunks
      where namespace = $1 and agent_id is not null`,
    [namespace],
  );
  return rows.map(({ agentId }) => agentId);
}
