import type { Db } from '../../platform/postgres/pool.ts';
import type { KnowledgeSourceRow } from '../sources/knowledge-sources.sql.ts';
import type { Totals } from '../sources/synced-source.sql.ts';
import type { StagedDocument } from './staged-documents.sql.ts';

/** This module reads and writes the indexed documents of a source for its syncs. */

export type KnownDocument = {
  id: string;
  path: string;
  /** Hash of the document (see `documentHash`), in base64. */
  hash: string;
  bytes: number;
  chunks: number;
  etag: string | null;
  lastModified: string | null;
};

/** Lists a page of a source's documents, ordered by id. `after` is the last id of the previous page, or `null`. */
export async function listKnown(
  db: Db,
  { sourceId, after, limit }: { sourceId: string; after: string | null; limit: number },
): Promise<KnownDocument[]> {
  const { rows } = await db.query<KnownDocument>(
    `select id, path, encode(content_hash, 'base64') as hash, bytes, chunks, etag,
            last_modified as "lastModified"
       from knowledge_documents
      where source_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
    [sourceId, after, limit],
  );
  return rows;
}

/** Inserts or updates the document of a path. An existing document keeps its id. */
export async function upsertSynced(
  db: Db,
  {
    namespace,
    sourceId,
    newId,
    staged,
  }: {
    namespace: string;
    sourceId: string;
    newId: string;
    staged: StagedDocument;
  },
): Promise<string> {
  const d = staged;
  const { rows } = await db.query<{ id: string }>(
    `insert into knowledge_documents
       (id, namespace, source_id, path, title, content_hash, bytes, chunks, url, etag, last_modified,
        language)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (source_id, path) do update set
       title = excluded.title, content_hash = excluded.content_hash, bytes = excluded.bytes,
       chunks = excluded.chunks, url = excluded.url, etag = excluded.etag,
       last_modified = excluded.last_modified, language = excluded.language,
       updated_at = clock_timestamp()
     returning id`,
    [
      newId,
      namespace,
      sourceId,
      d.path,
      d.title,
      d.hash,
      d.bytes,
      d.chunks,
      d.url,
      d.etag,
      d.lastModified,
      d.language,
    ],
  );
  return rows[0]!.id; // `rows[0]` exists, because an upsert always returns its row.
}

export async function deleteDocuments(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query('delete from knowledge_documents where id = any($1::uuid[])', [ids]);
}

export type NewValidators = { id: string; etag: string | null; lastModified: string | null };

/** Updates the validators of documents whose content has not changed. */
export async function writeValidators(db: Db, documents: readonly NewValidators[]): Promise<void> {
  if (documents.length === 0) return;
  await db.query(
    `update knowledge_documents d set etag = n.etag, last_modified = n.last_modified
       from unnest($1::uuid[], $2::text[], $3::text[]) as n (id, etag, last_modified)
      where d.id = n.id`,
    [
      documents.map(({ id }) => id),
      documents.map(({ etag }) => etag),
      documents.map(({ lastModified }) => lastModified),
    ],
  );
}

export async function sumDocuments(db: Db, sourceId: string): Promise<Totals> {
  const { rows } = await db.query<Totals>(
    `select count(*) as documents, coalesce(sum(chunks), 0)::bigint as chunks,
            coalesce(sum(bytes), 0)::bigint as bytes
       from knowledge_documents where source_id = $1`,
    [sourceId],
  );
  return rows[0]!; // `rows[0]` exists, because an aggregate returns one row.
}

/**
 * Returns the time in ms until the next sync is due: a queued sync, a sync whose process died, or the next scheduled
 * sync or retry of a source. The time is negative if a sync is already due, and `null` if none is planned. Queued and
 * abandoned syncs count only in `namespaces`, or in all namespaces if the list is empty. Schedules and retries always
 * count in all namespaces.
 */
export async function nextSyncInMs(db: Db, namespaces: readonly string[]): Promise<number | null> {
  const { rows } = await db.query<{ inMs: number | null }>({
    name: 'next_sync',
    text: `with waiting as materialized (
        select case status when 'queued' then requested_at else lease_until end as at
          from knowledge_syncs
         where status in ('queued', 'running')
           and (cardinality($1::text[]) = 0 or namespace = any($1)))
      select extract(epoch from
               least((select min(at) from waiting),
                     (select next_sync_at from knowledge_sources
                       where next_sync_at is not null and deleted_at is null and not blocked
                       order by next_sync_at limit 1)) - clock_timestamp()
             )::float8 * 1000 as "inMs"`,
    values: [namespaces],
  });
  return rows[0]!.inMs; // A select without `from` yields one row.
}

/** Lists sources whose next sync is due. */
export async function listDue(
  db: Db,
  limit: number,
): Promise<Pick<KnowledgeSourceRow, 'id' | 'namespace' | 'spec' | 'syncFailures'>[]> {
  const { rows } = await db.query<
    Pick<KnowledgeSourceRow, 'id' | 'namespace' | 'spec' | 'syncFailures'>
  >(
    `select id, namespace, spec, sync_failures as "syncFailures" from knowledge_sources
      where next_sync_at <= clock_timestamp() and deleted_at is null and not blocked
      order by next_sync_at limit $1`,
    [limit],
  );
  return rows;
}

/** Claims a due source and locks its row. Returns false if another process claimed it first. */
export async function takeDue(
  db: Db,
  { id, nextSyncAt }: { id: string; nextSyncAt: number | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update knowledge_sources set next_sync_at = to_timestamp($2 / 1000.0)
      where id = (select id from knowledge_sources
                   where id = $1 and next_sync_at <= clock_timestamp() and deleted_at is null
                     and not blocked for no key update skip locked)`,
    [id, nextSyncAt],
  );
  return rowCount === 1;
}

/**
 * Returns the schedule of each source that has one. `lastMs` is the time of the source's last complete sync, or of the
 * source's creation if there was no such sync.
 */
export async function listScheduled(db: Db): Promise<{ schedule: string; lastMs: number }[]> {
  const { rows } = await db.query<{ schedule: string; lastMs: number }>(
    `select spec->>'schedule' as schedule, coalesce(last_synced_at, created_at) as "lastMs"
       from knowledge_sources
      where deleted_at is null and asked_key is not null and spec ? 'schedule'`,
  );
  return rows;
}
