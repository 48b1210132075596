import type { Db } from '../../platform/postgres/pool.ts';
import { HELD, type Lease } from './claims.sql.ts';

/**
 * This module stores staged content: the documents that a sync has read. They are indexed later, in a single
 * transaction.
 */

/**
 * A document as it will be indexed. If its `hash` differs from the hash of the indexed version, the document has
 * changed.
 */
export type StagedDocument = {
  path: string;
  /** UUID under which the batches of the document are stored. */
  batchesId: string;
  title: string;
  hash: Buffer;
  bytes: number;
  chunks: number;
  language: string | null;
  url: string | null;
  etag: string | null;
  lastModified: string | null;
};

/** SQL that locks the lease during the statement, so that no other process can take the sync over at the same time. */
const FENCE = `fence as materialized (select id from knowledge_syncs where ${HELD} for share)`;

/**
 * Stores some batches of a document that is not staged yet. If the lease was lost, stores nothing and returns false.
 */
export async function stageBatches(
  db: Db,
  { id, lease }: Lease,
  part: { batchesId: string; first: number; batches: readonly Uint8Array[] },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with ${FENCE}
     insert into knowledge_staged_batches (sync_id, batches_id, number, batch)
     select f.id, $3, $4 + b.number - 1, b.batch
       from fence f cross join unnest($5::bytea[]) with ordinality as b (batch, number)`,
    [id, lease, part.batchesId, part.first, part.batches.map((batch) => Buffer.from(batch))],
  );
  return rowCount === part.batches.length;
}

/** Stages a document after all its batches are stored. Replaces an earlier staged version of the same path. */
export async function stageDocument(
  db: Db,
  { id, lease }: Lease,
  document: StagedDocument,
): Promise<boolean> {
  const d = document;
  const { rowCount } = await db.query(
    `with ${FENCE}
     insert into knowledge_staged_documents
       (sync_id, path, batches_id, title, content_hash, bytes, chunks, language, url, etag, last_modified)
     select id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 from fence
     on conflict (sync_id, path) do update set
       batches_id = excluded.batches_id, title = excluded.title, content_hash = excluded.content_hash,
       bytes = excluded.bytes, chunks = excluded.chunks, language = excluded.language,
       url = excluded.url, etag = excluded.etag, last_modified = excluded.last_modified`,
    [
      id,
      lease,
      d.path,
      d.batchesId,
      d.title,
      d.hash,
      d.bytes,
      d.chunks,
      d.language,
      d.url,
      d.etag,
      d.lastModified,
    ],
  );
  return rowCount === 1;
}

/** Removes the staged document of a path. */
export async function unstageDocument(
  db: Db,
  { id, lease }: Lease,
  path: string,
): Promise<boolean> {
  const { rows } = await db.query<{ isHeld: boolean }>(
    `with ${FENCE}, gone as (
       delete from knowledge_staged_documents where sync_id = (select id from fence) and path = $3)
     select exists (select from fence) as "isHeld"`,
    [id, lease, path],
  );
  return rows[0]?.isHeld ?? false;
}

const COLUMNS = `path, batches_id as "batchesId", title, content_hash as hash, bytes, chunks, language, url,
  etag, last_modified as "lastModified"`;

/** Lists a page of staged documents, ordered by path. `after` is the last path of the previous page, or `null`. */
export async function listStaged(
  db: Db,
  { id, after, limit }: { id: string; after: string | null; limit: number },
): Promise<StagedDocument[]> {
  const { rows } = await db.query<StagedDocument>(
    `select ${COLUMNS} from knowledge_staged_documents
      where sync_id = $1 and ($2::text is null or path > $2) order by path limit $3`,
    [id, after, limit],
  );
  return rows;
}

/** Returns one batch of a staged document, or `undefined` if the document has no batch with this number. */
export async function readStagedBatch(
  db: Db,
  { id, batchesId, number }: { id: string; batchesId: string; number: number },
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ batch: Buffer }>(
    `select batch from knowledge_staged_batches
      where sync_id = $1 and batches_id = $2 and number = $3`,
    [id, batchesId, number],
  );
  return rows[0]?.batch;
}

const STAGED_TABLES = ['knowledge_staged_batches', 'knowledge_staged_documents'];

/**
 * Returns SQL that selects the ended syncs that still have rows in `table`. If `$1` is not `null`, it selects only the
 * sync with that id.
 */
const endedIn = (table: string): string => `select t.sync_id from (
    select distinct sync_id from ${table} where $1::uuid is null or sync_id = $1) t
  join knowledge_syncs s on s.id = t.sync_id where s.status not in ('queued', 'running')`;

/** Deletes the staged content of an ended sync, or of all ended syncs if `id` is `null`. */
export async function deleteStagedOf(db: Db, id: string | null): Promise<void> {
  for (const table of STAGED_TABLES) {
    await db.query(`delete from ${table} where sync_id in (${endedIn(table)})`, [id]);
  }
}

/** Returns true if any ended sync still has staged content. */
export async function hasStagedLeft(db: Db): Promise<boolean> {
  const { rowCount } = await db.query(
    `${STAGED_TABLES.map((table) => `(${endedIn(table)} limit 1)`).join(' union all ')} limit 1`,
    [null],
  );
  return rowCount === 1;
}
