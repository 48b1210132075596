import { paced } from '../../platform/postgres/paced.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import {
  countPassages,
  dropOldIndex,
  forgetOwner,
  INDEX_TIMEOUT_MS,
  indexOwner,
  long,
  withoutPassages,
} from './knowledge-postings.sql.ts';
import { configurationOf } from './languages.ts';
import { packChunks, readBatch, type Batch, type NewChunk } from './packed-chunks.ts';

/**
 * This module reads and writes the table of passages. Before a write, the caller must lock the owner of the passages:
 * the row of a source, or the answers of an agent (`lockAnswers`).
 */

/** Owner of a passage: a document of a source, or a gap of an agent. Ids are UUIDs. */
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

/**
 * Inserts passages with one statement per batch, so that no statement takes long. `first` is added to the positions in
 * the batches. `language` (ISO 639-1) determines how the words are stemmed.
 */
export async function insertBatches(
  db: Db,
  owner: ChunkOwner,
  {
    batches,
    first,
    language = null,
  }: { batches: Iterable<Batch>; first: number; language?: string | null },
): Promise<void> {
  const source = 'sourceId' in owner ? owner : { sourceId: null, documentId: null };
  const answer = 'agentId' in owner ? owner : { agentId: null, gapId: null };
  const { namespace } = owner;
  const of = [source.sourceId, source.documentId, answer.agentId, answer.gapId];
  const configuration = configurationOf(language);
  for await (const batch of paced(batches)) {
    const passages = await readBatch(batch);
    const values = [namespace, ...of, first, passages, configuration];
    await db.query({ name: 'insert_passages', text: INSERT_BATCH, values });
  }
}

const INSERT_BATCH = `
  insert into knowledge_chunks
       (id, namespace, source_id, document_id, agent_id, gap_id, position, heading, text, words)
  select c.id, $1, $2, $3, $4, $5, $6 + c.position, c.heading, c.text,
         setweight(to_tsvector($8::regconfig, c.heading_words), 'A')
           || to_tsvector($8::regconfig, c.text_words)
    from json_to_recordset($7::json) as c (id uuid, position integer, heading text, text text,
                                           heading_words text, text_words text)`;

/** An indexed passage. An answer to a gap has a `gapId` and no source or document. Ids are UUIDs. */
export type StoredPassage = {
  chunkId: string;
  sourceId: string | null;
  documentId: string | null;
  gapId: string | null;
  heading: string;
  text: string;
  documentTitle: string | null;
  path: string | null;
  url: string | null;
};

export async function readPassage(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<StoredPassage | undefined> {
  const { rows } = await db.query<StoredPassage>(
    `select c.id as "chunkId", c.source_id as "sourceId", c.document_id as "documentId",
            c.gap_id as "gapId", c.heading, c.text, d.title as "documentTitle", d.path, d.url
       from knowledge_chunks c left join knowledge_documents d on d.id = c.document_id
      where c.id = $1 and c.namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

/** Deletes the passages of a source and their index entries. Returns the number of deleted passages. */
export async function deleteSourceChunks(db: Db, sourceId: string): Promise<number> {
  await forgetOwner(db, sourceId);
  const { rowCount } = await db.query(
    long('delete from knowledge_chunks where owner_id = $1', [sourceId]),
  );
  return rowCount ?? 0;
}

/** Deletes the passages of some documents of a source and removes them from the index. */
export async function deleteDocumentChunks(
  db: Db,
  { sourceId, documentIds }: { sourceId: string; documentIds: readonly string[] },
): Promise<void> {
  const gone = `delete from knowledge_chunks where document_id = any($1::uuid[]) and source_id = $2`;
  await db.query(long(`${withoutPassages(gone)} select`, [documentIds, sourceId]));
}

/** Deletes the passages of some documents without updating the index. The caller must rebuild the index afterwards. */
export async function deleteUnindexed(
  db: Db,
  { sourceId, documentIds }: { sourceId: string; documentIds: readonly string[] },
): Promise<void> {
  const gone =
    'delete from knowledge_chunks where document_id = any($1::uuid[]) and source_id = $2';
  await db.query(long(gone, [documentIds, sourceId]));
}

/**
 * Returns the number of passages of a source, the number of passages of some of its documents, and the range of
 * positions that the source occupies.
 */
export async function measureSource(
  db: Db,
  { sourceId, documentIds }: { sourceId: string; documentIds: readonly string[] },
): Promise<{ passages: number; ofDocuments: number; places: number }> {
  const { rows } = await db.query<{ passages: number; ofDocuments: number; places: number }>({
    name: 'measure_source',
    text: `select count(*)::integer as passages,
            (count(*) filter (where document_id = any($2::uuid[])))::integer as "ofDocuments",
            coalesce(max(position) - min(position) + 1, 0) as places
       from knowledge_chunks where owner_id = $1`,
    values: [sourceId, documentIds],
  });
  return rows[0]!; // `rows[0]` exists, because an aggregate returns one row.
}

/** Renumbers all passages of a source in their current order, starting with `first`. */
export async function renumber(db: Db, sourceId: string, first: number): Promise<void> {
  await db.query(
    long(
      `update knowledge_chunks c set position = $2 + n.place
         from (select id, (row_number() over (order by position))::integer - 1 as place
                 from knowledge_chunks where owner_id = $1) n
        where c.id = n.id`,
      [sourceId, first],
    ),
  );
}

/**
 * Raises the statement timeout until the end of the transaction, because indexing a file of 20 MB takes longer than the
 * usual timeout.
 */
export async function allowLongStatements(db: Db): Promise<void> {
  await db.query(`set local statement_timeout = ${INDEX_TIMEOUT_MS}`);
}

/** Locks the answers of an agent, so that transactions that write these answers run one after another. */
export async function lockAnswers(db: Db, agentId: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('knowledge answers ' || $1, 0))`, [
    agentId,
  ]);
}

/**
 * Deletes the answer to a gap and removes it from the index. Returns its id, position and words. The caller must pass
 * the words to `forgetWords` after its last insertion.
 */
export async function deleteAnswer(
  db: Db,
  gapId: string,
): Promise<{ id: string | null; position: number | null; lexemes: readonly string[] }> {
  const gone = 'delete from knowledge_chunks where gap_id = $1';
  const { rows } = await db.query<{
    id: string;
    ownerId: string;
    position: number;
    lexemes: string[];
  }>(
    `${withoutPassages(gone)}
     select id, owner_id as "ownerId", position, tsvector_to_array(words) as lexemes from gone`,
    [gapId],
  );
  const [answer] = rows;
  if (!answer) return { id: null, position: null, lexemes: [] };
  if (await dropOldIndex(db, answer.ownerId)) await indexOwner(db, answer.ownerId);
  else await countPassages(db, answer.ownerId, []);
  return answer;
}
