import { setImmediate } from 'node:timers/promises';
import { filteredBy } from '../../platform/postgres/list-filters.ts';
import { paced } from '../../platform/postgres/paced.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/** A document in a source. Times are Unix milliseconds, and ids are UUIDs. */
export type DocumentRow = {
  id: string;
  sourceId: string;
  /** Name that is unique within the source: a file name or the address of a page. */
  path: string;
  title: string;
  bytes: number;
  chunks: number;
  /** Address where people can open the document. */
  url: string | null;
  /** ISO 639-1 code, declared or detected; `null` if it is unknown. */
  language: string | null;
  createdAt: number;
  updatedAt: number;
};

const COLUMNS = `id, source_id as "sourceId", path, title, bytes, chunks, url, language, created_at as "createdAt",
  updated_at as "updatedAt"`;

/** Lists documents, newest first. `before` is the last id of the previous page. */
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

/** Lists the documents of a source with their languages, which decide how their words are stemmed. */
export async function listDocumentLanguages(
  db: Db,
  sourceId: string,
): Promise<{ id: string; language: string | null }[]> {
  const { rows } = await db.query<{ id: string; language: string | null }>(
    'select id, language from knowledge_documents where source_id = $1 order by id',
    [sourceId],
  );
  return rows;
}

export async function setDocumentLanguage(
  db: Db,
  { id, language }: { id: string; language: string },
): Promise<void> {
  await db.query('update knowledge_documents set language = $2 where id = $1', [id, language]);
}

export type NewDocument = Omit<DocumentRow, 'createdAt' | 'updatedAt' | 'url' | 'language'> & {
  namespace: string;
  contentHash: Buffer;
};

/** Returns the ids and content hashes of a source's documents by path. */
export async function listHashes(
  db: Db,
  sourceId: string,
): Promise<Map<string, { id: string; hash: Buffer }>> {
  const { rows } = await db.query<{ id: string; path: string; hash: Buffer }>({
    name: 'list_document_hashes',
    text: 'select id, path, content_hash as hash from knowledge_documents where source_id = $1',
    values: [sourceId],
  });
  return new Map(rows.map(({ path, id, hash }) => [path, { id, hash }]));
}

/** Inserts or updates the document of a path. Returns its id, which stays the same for that path. */
export async function upsertDocument(db: Db, document: NewDocument): Promise<string> {
  const d = document;
  const { rows } = await db.query<{ id: string }>({
    name: 'write_document',
    text: `insert into knowledge_documents as d
       (id, namespace, source_id, path, title, content_hash, bytes, chunks)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (source_id, path) do update set
       title = excluded.title, content_hash = excluded.content_hash, bytes = excluded.bytes,
       chunks = excluded.chunks,
       updated_at = case when d.content_hash = excluded.content_hash then d.updated_at
                         else clock_timestamp() end
     returning id`,
    values: [d.id, d.namespace, d.sourceId, d.path, d.title, d.contentHash, d.bytes, d.chunks],
  });
  return rows[0]!.id; // `rows[0]` exists, because an upsert always returns its row.
}

/** Deletes all documents of a source except those with these paths. Returns the number of deleted documents. */
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

/** Uploaded content of a source of type `file`. */
export type Upload = { mediaType: string; fileName: string | null; content: Buffer };

/** Name of a document that was uploaded without the parameter `file_name`. */
export const UNNAMED_FILE = 'content';

export async function readUpload(db: Db, sourceId: string): Promise<Upload | undefined> {
  // Reads the content as base64, because neither of pg's formats is suitable. In hex, 20 MB are 40 million digits. In
  // the binary format, pg decodes the bytes as UTF-8, which corrupts content that is not UTF-8.
  const { rows } = await db.query<Omit<Upload, 'content'> & Piece>(
    `select media_type as "mediaType", file_name as "fileName", length(c.content) as length,
            encode(c.content, 'base64') as base64
       from (select u.media_type, u.file_name, coalesce(u.content, p.content, '') as content, p.number
               from knowledge_uploads u
               left join knowledge_upload_pieces p on p.source_id = u.source_id and u.content is null
              where u.source_id = $1) c
      order by c.number`,
    [sourceId],
  );
  const [first] = rows;
  if (!first) return undefined;
  const { mediaType, fileName } = first;
  return { mediaType, fileName, content: await shared(rows) };
}

type Piece = { length: number; base64: string };

/**
 * Joins pieces into a buffer of shared memory, which other threads can read. Pauses between pieces, so that the process
 * can handle requests.
 */
async function shared(pieces: readonly Piece[]): Promise<Buffer> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const whole = Buffer.from(new SharedArrayBuffer(size));
  let at = 0;
  for (const { base64 } of pieces) {
    at += whole.write(base64, at, 'base64');
    await setImmediate();
  }
  return whole;
}

/** Returns the hash of an upload, which equals `contentHashOf` for the same name and content. */
export async function readUploadHash(db: Db, sourceId: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ hash: Buffer }>(
    `select sha256(convert_to(coalesce(u.file_name, $2), 'UTF8') || '\\x00'::bytea || coalesce(
              u.content, (select string_agg(p.content, '' order by p.number)
                            from knowledge_upload_pieces p where p.source_id = u.source_id), '')) as hash
       from knowledge_uploads u where u.source_id = $1`,
    [sourceId, UNNAMED_FILE],
  );
  return rows[0]?.hash;
}

/**
 * Size in bytes of the pieces in which content is written, one per statement. Pieces are small, because pg copies each
 * three times before PostgreSQL receives it.
 */
const PIECE_BYTES = 256 * 1024;

export async function writeUpload(db: Db, sourceId: string, upload: Upload): Promise<void> {
  const { mediaType, fileName, content } = upload;
  await db.query(
    `insert into knowledge_uploads (source_id, media_type, file_name)
     values ($1, $2, $3)
     on conflict (source_id) do update set
       media_type = excluded.media_type, file_name = excluded.file_name, content = null,
       uploaded_at = now()`,
    [sourceId, mediaType, fileName],
  );
  await db.query('delete from knowledge_upload_pieces where source_id = $1', [sourceId]);
  const count = Math.ceil(content.length / PIECE_BYTES);
  for await (const number of paced(Array(count).keys())) {
    const piece = content.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES);
    await db.query(
      'insert into knowledge_upload_pieces (source_id, number, content) values ($1, $2, $3)',
      [sourceId, number, piece],
    );
  }
}

export async function deleteUpload(db: Db, sourceId: string): Promise<void> {
  await db.query('delete from knowledge_uploads where source_id = $1', [sourceId]);
}
