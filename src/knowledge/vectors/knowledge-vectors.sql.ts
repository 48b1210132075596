import type { Db } from '../../platform/postgres/pool.ts';
import type { KnowledgeHit } from '../passages/search-passages.ts';

/** This module reads and writes the vectors of passages, in the format of vector-bytes.ts. */

export type PassageToEmbed = { chunkId: string; position: number; heading: string; text: string };

/**
 * Lists passages of an owner that have no vector, in order of position. `after` is the last position of the previous
 * page.
 */
export async function listWithoutVector(
  db: Db,
  input: { embeddingsId: number; ownerId: string; after: number; limit: number },
): Promise<PassageToEmbed[]> {
  const { rows } = await db.query<PassageToEmbed>({
    name: 'passages_without_vector',
    text: `select c.id as "chunkId", c.position, c.heading, c.text
             from knowledge_chunks c
            where c.owner_id = $2 and c.position > $3
              and not exists (select from knowledge_vectors v
                               where v.embeddings_id = $1 and v.chunk_id = c.id)
            order by c.position limit $4`,
    values: [input.embeddingsId, input.ownerId, input.after, input.limit],
  });
  return rows;
}

/** Returns the vectors of texts that were embedded before, by the hexadecimal hashes of the texts. */
export async function findByHash(
  db: Db,
  embeddingsId: number,
  hashes: readonly Buffer[],
): Promise<Map<string, Buffer>> {
  const { rows } = await db.query<{ hash: Buffer; vector: Buffer }>({
    name: 'vectors_by_hash',
    text: `select distinct on (hash) hash, vector from knowledge_vectors
            where embeddings_id = $1 and hash = any($2::bytea[]) order by hash`,
    values: [embeddingsId, hashes],
  });
  return new Map(rows.map(({ hash, vector }) => [hash.toString('hex'), vector]));
}

export type NewVector = { chunkId: string; hash: Buffer; vector: Buffer };

/**
 * Stores vectors. Ignores passages that already have a vector and passages that were deleted. The caller must have
 * locked the row of the lease.
 */
export async function insertVectors(
  db: Db,
  {
    embeddingsId,
    size,
    vectors,
  }: { embeddingsId: number; size: number; vectors: readonly NewVector[] },
): Promise<void> {
  await db.query(
    `with added as (
       insert into knowledge_vectors (embeddings_id, chunk_id, hash, vector)
       select $1, n.chunk_id, n.hash, n.vector
         from unnest($2::uuid[], $3::bytea[], $4::bytea[]) as n (chunk_id, hash, vector)
        where exists (select from knowledge_chunks c where c.id = n.chunk_id)
       on conflict do nothing returning 1
     )
     update knowledge_embeddings
        set size = $5, embedded = embedded + (select count(*) from added), problem = null
      where id = $1`,
    [
      embeddingsId,
      vectors.map(({ chunkId }) => chunkId),
      vectors.map(({ hash }) => hash),
      vectors.map(({ vector }) => vector),
      size,
    ],
  );
}

/** Deletes the vectors of passages that no longer exist. Returns the number of deleted vectors. */
export async function deleteOrphans(db: Db, embeddingsId: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from knowledge_vectors v
      where v.embeddings_id = $1
        and not exists (select from knowledge_chunks c where c.id = v.chunk_id)`,
    [embeddingsId],
  );
  return rowCount ?? 0;
}

export type StoredVector = {
  embeddingsId: number;
  chunkId: string;
  number: number;
  vector: Buffer;
};

/** Reads a page of vectors after a sequence number, in the order in which they were written. */
export async function readVectors(
  db: Db,
  input: { embeddingsId: number; after: number; limit: number },
): Promise<StoredVector[]> {
  const { rows } = await db.query<StoredVector>({
    name: 'read_vectors',
    text: `select embeddings_id as "embeddingsId", chunk_id as "chunkId", number, vector
             from knowledge_vectors where embeddings_id = $1 and number > $2
            order by number limit $3`,
    values: [input.embeddingsId, input.after, input.limit],
  });
  return rows;
}

/** Reads all vectors of several owners in one query. Use it only for owners with few vectors. */
export async function readSmallVectors(
  db: Db,
  embeddingsIds: readonly number[],
): Promise<StoredVector[]> {
  const { rows } = await db.query<StoredVector>({
    name: 'read_small_vectors',
    text: `select v.embeddings_id as "embeddingsId", v.chunk_id as "chunkId", v.number, v.vector
             from unnest($1::bigint[]) as e (id)
            cross join lateral (select * from knowledge_vectors v
                                 where v.embeddings_id = e.id order by v.number offset 0) v`,
    values: [embeddingsIds],
  });
  return rows;
}

/** Reads the vectors of the given passages. Leaves out passages without a vector. */
export async function readVectorsOf(
  db: Db,
  input: { embeddingsIds: readonly number[]; chunkIds: readonly string[] },
): Promise<StoredVector[]> {
  const { rows } = await db.query<StoredVector>({
    name: 'read_vectors_of',
    text: `select v.embeddings_id as "embeddingsId", v.chunk_id as "chunkId", v.number, v.vector
             from unnest($2::uuid[]) as p (id)
            cross join lateral (select c.id, c.owner_id from knowledge_chunks c
                                 where c.id = p.id offset 0) c
             join knowledge_embeddings e on e.owner_id = c.owner_id and e.id = any($1::bigint[])
             join knowledge_vectors v on v.embeddings_id = e.id and v.chunk_id = c.id`,
    values: [input.embeddingsIds, input.chunkIds],
  });
  return rows;
}

/** Reads the content of passages that were found only by meaning. Leaves out deleted passages. */
export async function readHits(
  db: Db,
  { namespace, chunkIds }: { namespace: string; chunkIds: readonly string[] },
): Promise<KnowledgeHit[]> {
  const { rows } = await db.query<Omit<KnowledgeHit, 'why'>>({
    name: 'read_hits',
    text: `select c.id as "chunkId", c.document_id as "documentId", c.source_id as "sourceId",
                  c.gap_id as "gapId", c.heading, c.text, 0 as score
             from unnest($1::uuid[]) as p (id)
            cross join lateral (select * from knowledge_chunks c where c.id = p.id offset 0) c
            where c.namespace = $2`,
    values: [chunkIds, namespace],
  });
  // `why` is empty, because these passages were not chosen by their words.
  return rows.map((hit) => ({ ...hit, why: { matched: [], missing: [], likeness: null } }));
}
