import type { Db } from '../../platform/postgres/pool.ts';
import type { Batch } from './packed-chunks.ts';
import {
  allowLongStatements,
  deleteDocumentChunks,
  deleteUnindexed,
  insertBatches,
  measureSource,
  renumber,
} from './knowledge-chunks.sql.ts';
import { dropOldIndex, indexFrom, indexOwner, nextPosition } from './knowledge-postings.sql.ts';

/** The passages of one document, to be added. `batches` as `CutContent` has them. */
export type NewPassages = {
  documentId: string;
  /** How many there are in all batches. */
  passages: number;
  /** ISO 639-1; null: as English. */
  language: string | null;
  batches: Iterable<Batch>;
};

/** When more of the passages change than one in so many, all lists of a source are written anew. */
const REBUILT_ABOVE = 1 / 3;
/** Places for each passage that a source may come to take; a search walks them all. */
const SPREAD_MAX = 4;
/** Small ones change the places of all their passages with every change. */
const SPREAD_FREE = 100;

/**
 * Replaces the passages of some documents of a source, in the caller's transaction, which has locked the
 * source; the passages of its other documents keep their ids. What is added may come one by one: nothing
 * is held longer than it takes to write it.
 * @param change.removed ids of documents whose passages go: deleted ones, and changed ones, which are in
 *   `added` as well. Their rows are deleted after this, never before: what the index has of them is read here
 * @param change.added of documents whose rows are there
 */
export async function replaceDocuments(
  db: Db,
  { namespace, sourceId }: { namespace: string; sourceId: string },
  change: {
    removed: readonly string[];
    added: Iterable<NewPassages> | AsyncIterable<NewPassages>;
  },
): Promise<void> {
  await allowLongStatements(db);
  const gone = { sourceId, documentIds: change.removed };
  const before = await measureSource(db, gone);
  const first = await nextPosition(db, sourceId);
  const few = before.passages * REBUILT_ABOVE;
  const isOld = await dropOldIndex(db, sourceId);
  const isRebuilt = isOld || before.ofDocuments > few;
  await (isRebuilt ? deleteUnindexed : deleteDocumentChunks)(db, gone);
  let next = first;
  const languages = new Set<string | null>();
  for await (const { documentId, passages, language, batches } of change.added) {
    await insertBatches(
      db,
      { namespace, sourceId, documentId },
      { batches, first: next, language },
    );
    languages.add(language);
    next += passages;
  }
  const { passages, places } = await measureSource(db, gone);
  const isSpread = places > passages * SPREAD_MAX + SPREAD_FREE;
  if (isSpread) await renumber(db, sourceId, next);
  if (isOld) languages.add(null);
  if (isRebuilt || isSpread || next - first > few) await indexOwner(db, sourceId, [...languages]);
  else await indexFrom(db, sourceId, { first, languages: [...languages] });
}
