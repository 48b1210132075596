import { filteredBy } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/** A part of a source. Times are Unix milliseconds, ids uuids. */
export type DocumentRow = {
  id: string;
  sourceId: string;
  /** Its name in the source, unique there: a file's name, a page's address. */
  path: string;
  title: string;
  bytes: number;
  chunks: number;
  createdAt: number;
  updatedAt: number;
};

const COLUMNS = `id, source_id as "sourceId", path, title, bytes, chunks, created_at as "createdAt",
  updated_at as "updatedAt"`;

/** Newest first; `before` is the id after which the page starts. */
export async function listDocuments(
  db: Db,
  page: { sourceId: string; before?: string | undefined; limit: number },
): Promise<DocumentRow[]> {
  const { where, values } = filteredBy([
    ['source_id =', page.sourceId],
    ['id <', page.before],
  ]);
  const { rows } = await db.query<DocumentRow>(
    `select ${COLUMNS} from knowledge_documents
      where ${where} order by id desc limit $${values.push(page.limit)}`,
    values,
  );
  return rows;
}

export type NewDocument = Omit<DocumentRow, 'createdAt' | 'updatedAt'> & {
  namespace: string;
  contentHash: Buffer;
};

/** Adds or updates the document of a path; returns its id, which stays the same for that path. */
export async function upsertDocument(
  db: Db,
  document: NewDocument,
): Promise<{ id: string; change: 'added' | 'updated' | 'none' }> {
  const d = document;
  const { rows: before } = await db.query<{ contentHash: Buffer }>(
    `select content_hash as "contentHash" from knowledge_documents
      where source_id = $1 and path = $2`,
    [d.sourceId, d.path],
  );
  const { rows } = await db.query<{ id: string }>(
    `insert into knowledge_documents as d
       (id, namespace, source_id, path, title, content_hash, bytes, chunks)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (source_id, path) do update set
       title = excluded.title, content_hash = excluded.content_hash, bytes = excluded.bytes,
       chunks = excluded.chunks,
       updated_at = case when d.content_hash = excluded.content_hash then d.updated_at
                         else clock_timestamp() end
     returning id`,
    [d.id, d.namespace, d.sourceId, d.path, d.title, d.contentHash, d.bytes, d.chunks],
  );
  const known = before[0];
  const isSame = known?.contentHash.equals(d.contentHash) ?? false;
  return { id: rows[0]!.id, change: known ? (isSame ? 'none' : 'updated') : 'added' };
}

/** Deletes all documents but those of these paths. Returns how many. */
export async function deleteOtherDocuments(
  db: Db,
  sourceId: string,
  paths: readonly string[],
): Promise<number> {
  const { rowCount } = await db.query(
    'delete from knowledge_documents where source_id = $1 and path <> all($2::text[])',
    [sourceId, paths],
  );
  return rowCount ?? 0;
}

/** The content of a source of type file, as it was uploaded. */
export type Upload = { mediaType: string; fileName: string | null; content: Buffer };

/** What a document is called that was uploaded without `file_name`. */
export const UNNAMED_FILE = 'content';

export async function readUpload(db: Db, sourceId: string): Promise<Upload | undefined> {
  // As bytes: as text, which pg asks for by itself, 20 MB are 40 million digits, read in one go. Not
  // a literal in the call: pg knows `binary` there, its types do not.
  const statement = {
    text: `select media_type as "mediaType", file_name as "fileName", content
             from knowledge_uploads where source_id = $1`,
    values: [sourceId],
    binary: true,
    types: {
      getTypeParser: (oid: number) => (bytes: Buffer) => (oid === BYTEA ? bytes : String(bytes)),
    },
  };
  const { rows } = await db.query<Upload>(statement);
  return rows[0];
}

const BYTEA = 17;

/** The hash of an upload, as `contentHashOf` makes it of its name and content. */
export async function readUploadHash(db: Db, sourceId: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ hash: Buffer }>(
    `select sha256(convert_to(coalesce(file_name, $2), 'UTF8') || '\\x00'::bytea || content) as hash
       from knowledge_uploads where source_id = $1`,
    [sourceId, UNNAMED_FILE],
  );
  return rows[0]?.hash;
}

export async function writeUpload(db: Db, sourceId: string, upload: Upload): Promise<void> {
  await db.query(
    `insert into knowledge_uploads (source_id, media_type, file_name, content)
     values ($1, $2, $3, $4)
     on conflict (source_id) do update set
       media_type = excluded.media_type, file_name = excluded.file_name,
       content = excluded.content, uploaded_at = now()`,
    [sourceId, upload.mediaType, upload.fileName, upload.content],
  );
}

export async function deleteUpload(db: Db, sourceId: string): Promise<void> {
  await db.query('delete from knowledge_uploads where source_id = $1', [sourceId]);
}
