import type { Db } from '../../platform/postgres/pool.ts';
import { fallSilent } from '../../platform/postgres/silence.ts';
import type { Batch } from './packed-chunks.ts';
import {
  allowLongStatements,
  deleteDocumentChunks,
  deleteUnindexed,
  insertBatches,
  measureSource,
  renumber,
} from './knowledge-chunks.sql.ts';
import {
  dropOldIndex,
  indexFrom,
  indexNew,
  indexOwner,
  nextPosition,
} from './knowledge-postings.sql.ts';

/** New passages of one document. `batches` comes from `CutContent`. */
export type NewPassages = {
  documentId: string;
  /**
   * Number of passages in all batches. The value is 0 if another item with the same document follows (see
   * `apply-sync.ts`).
   */
  passages: number;
  /** ISO 639-1 code, or `null` if the language is unknown. Words of an unknown language are stemmed as English. */
  language: string | null;
  batches: Iterable<Batch>;
};

/**
 * Share of a source's passages. If more than this share changes, all posting lists of the source are rebuilt instead of
 * updated.
 */
const REBUILT_ABOVE = 1 / 3;
/**
 * Maximum number of positions per passage of a source. Deleted passages leave unused positions behind, and a search
 * visits every position. The passages of a source that exceeds the maximum are therefore renumbered.
 */
const SPREAD_MAX = 4;
/**
 * Number of positions that a source may have beyond `SPREAD_MAX`, so that small sources are not renumbered with every
 * change.
 */
const SPREAD_FREE = 100;

/**
 * Number of passages above which a transaction defers its event until after the commit. Writing or removing that many
 * passages takes more than a second.
 */
const SILENT_ABOVE = 1_000;

/**
 * Declares that a large transaction emits no event (see `fallSilent`), so that readers of events do not have to wait
 * for its commit. The event of the change is deferred until after the commit.
 */
export async function fallSilentAbove(db: Db, passages: number): Promise<void> {
  if (passages > SILENT_ABOVE) await fallSilent(db);
}

/**
 * Replaces the passages of some documents of a source, in the caller's transaction. The caller must have locked the
 * source. The passages of other documents keep their ids. New passages may arrive one document at a time, so that only
 * the document that is being written is in memory.
 * @param change.removed ids of deleted and of changed documents; the changed ones are in `added` as well. The rows of
 * deleted documents must still exist during this call, which reads their index entries
 * @param change.added passages of documents whose rows exist
 */
export async function replaceDocuments(
  db: Db,
  { namespace, sourceId }: { namespace: string; sourceId: string },
  change: {
    removed: readonly string[];
    added: Iterable<NewPassages> | AsyncIterable<NewPassages>;
  },
): Promise<void> {
  const gone = { sourceId, documentIds: change.removed };
  const [, before, first, isOld] = await Promise.all([
    allowLongStatements(db),
    measureSource(db, gone),
    nextPosition(db, sourceId),
    dropOldIndex(db, sourceId),
  ]);
  const isNew = before.passages === 0;
  const few = before.passages * REBUILT_ABOVE;
  const isRebuilt = isOld || before.ofDocuments > few;
  if (!isNew) await (isRebuilt ? deleteUnindexed : deleteDocumentChunks)(db, gone);
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
  if (isNew) {
    await indexNew(db, sourceId, [...languages]);
    return;
  }
  const { passages, places } = await measureSource(db, gone);
  const isSpread = places > passages * SPREAD_MAX + SPREAD_FREE;
  if (isSpread) await renumber(db, sourceId, next);
  if (isOld) languages.add(null);
  if (isRebuilt || isSpread || next - first > few) await indexOwner(db, sourceId, [...languages]);
  else await indexFrom(db, sourceId, { first, languages: [...languages] });
}
