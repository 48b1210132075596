import type { Db } from '../platform/postgres/pool.ts';
import { long } from './passages/knowledge-postings.sql.ts';
import { configurationOf } from './passages/languages.ts';

/** Returns true if any owner still has passages with the search words that an earlier release computed. */
export async function hasOwnerToReword(db: Db): Promise<boolean> {
  const { rowCount } = await db.query('select from knowledge_rewords limit 1');
  return rowCount === 1;
}

/**
 * Returns an owner whose passages still have the search words that an earlier release computed, and locks it until the
 * end of the transaction. Skips owners that another process is updating. Returns `undefined` if none is left.
 */
export async function takeOwnerToReword(
  db: Db,
): Promise<{ ownerId: string; isAnswers: boolean } | undefined> {
  // The order is random, so that an owner whose update fails does not block the others.
  const { rows } = await db.query<{ ownerId: string; isAnswers: boolean }>(
    `select owner_id as "ownerId", is_answers as "isAnswers" from knowledge_rewords
      order by random() limit 1 for update skip locked`,
  );
  return rows[0];
}

export async function noteReworded(db: Db, ownerId: string): Promise<void> {
  await db.query('delete from knowledge_rewords where owner_id = $1', [ownerId]);
}

export type WordedPassage = { id: string; headingWords: string; textWords: string };

/** Reads a page of a document's passages, ordered by position. `after` is the last position of the previous page. */
export async function readPassagesToReword(
  db: Db,
  { documentId, after, limit }: { documentId: string; after: number; limit: number },
): Promise<{ id: string; position: number; heading: string; text: string }[]> {
  const { rows } = await db.query<{ id: string; position: number; heading: string; text: string }>(
    `select id, position, heading, text from knowledge_chunks
      where document_id = $1 and position > $2 order by position limit $3`,
    [documentId, after, limit],
  );
  return rows;
}

/** Updates the search words of passages. The caller must then rebuild the index of their owner. */
export async function updateWords(
  db: Db,
  passages: readonly WordedPassage[],
  language: string | null,
): Promise<void> {
  await db.query(
    long(
      `update knowledge_chunks c
          set words = setweight(to_tsvector($4::regconfig, w.heading), 'A')
                        || to_tsvector($4::regconfig, w.text)
         from unnest($1::uuid[], $2::text[], $3::text[]) as w (id, heading, text)
        where c.id = w.id`,
      [
        passages.map(({ id }) => id),
        passages.map(({ headingWords }) => headingWords),
        passages.map(({ textWords }) => textWords),
        configurationOf(language),
      ],
    ),
  );
}
