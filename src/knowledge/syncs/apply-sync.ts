import { failpoint } from '../../failpoints.ts';
import { newUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { countWords } from '../passages/knowledge-postings.sql.ts';
import {
  fallSilentAbove,
  replaceDocuments,
  type NewPassages,
} from '../passages/replace-documents.ts';
import {
  lockSource,
  type KnowledgeSourceRow,
  type LastSync,
} from '../sources/knowledge-sources.sql.ts';
import { storeSynced, tellSettled, type SettleDeps } from '../sources/settle-sync.ts';
import { finishSync, isHeld, type ClaimedSync } from './claims.sql.ts';
import { LeaseLost } from './hold-lease.ts';
import type { Reading } from './reading.ts';
import { listStaged, readStagedBatch, type StagedDocument } from './staged-documents.sql.ts';
import { requireFewWords, requireRoomFor } from './sync-refused.ts';
import {
  deleteDocuments,
  sumDocuments,
  upsertSynced,
  writeValidators,
} from './synced-documents.sql.ts';

export type ApplyDeps = SettleDeps & {
  /** Maximum number of distinct words in a source. Defaults to the limit in the contract. */
  wordsMax?: number | undefined;
};

type Work = { sync: ClaimedSync; reading: Reading; key: string; signal: AbortSignal };

/**
 * Indexes everything that a sync has staged, in one transaction. Searches use the old index until it commits, and a
 * failure leaves the old index unchanged. Unchanged documents stay.
 * @throws LeaseLost, SyncRefused, QuotaExceededError
 */
export async function applySync(deps: ApplyDeps, work: Work): Promise<void> {
  const { sync, reading, signal } = work;
  await failpoint('sync.applying');
  const { source, emitted } = await inTransaction(deps.pool, async (db) => {
    const source = await lockHeld(db, sync);
    const change = changeOf(reading);
    if (change.isAny) {
      requireRoomFor(change.after);
      await fallSilentAbove(db, source.chunks + change.after.chunks);
      await replaceAll(db, { source, sync, change, reading, signal });
      requireFewWords(await countWords(db, source.id), deps.wordsMax);
    }
    await writeValidators(db, [...reading.validators.values()]);
    const totals = change.isAny ? await sumDocuments(db, source.id) : source;
    const result = resultOf(deps, { sync, change, documents: totals.documents });
    const cursor = reading.end?.cursor ?? null;
    const emitted = await storeSynced(db, deps, { source, key: work.key, cursor, totals, result });
    await failpoint('sync.applied');
    signal.throwIfAborted();
    const { progress } = reading;
    if (!(await finishSync(db, { ...sync, status: 'succeeded', result, progress }))) {
      throw new LeaseLost('the sync was canceled, or another process took it over');
    }
    return { source, emitted };
  });
  await failpoint('sync.finished');
  const settled = {
    source,
    emitted,
    result: 'ready',
    durationSec: durationSec(deps, sync),
  } as const;
  await tellSettled(deps, settled);
}

export function durationSec(
  { nowMs }: Pick<ApplyDeps, 'nowMs'>,
  { startedAt }: ClaimedSync,
): number {
  return Math.max(0, nowMs() - (startedAt ?? nowMs())) / 1_000;
}

/**
 * Locks the source of a sync and returns it.
 * @throws LeaseLost if the source was deleted or this process no longer holds the lease of the sync
 */
export async function lockHeld(db: Db, sync: ClaimedSync): Promise<KnowledgeSourceRow> {
  const locked = await lockSource(db, sync.sourceId);
  if (locked?.deletedAt !== null || !(await isHeld(db, sync))) {
    throw new LeaseLost('the sync was canceled, or another process took it over');
  }
  const { deletedAt: _, ...source } = locked;
  return source;
}

type Change = {
  isAny: boolean;
  added: number;
  updated: number;
  /** Ids of documents to delete. */
  removed: string[];
  /** Ids of documents with changed passages. */
  changed: string[];
  after: { documents: number; chunks: number };
  failed: number;
};

function changeOf(reading: Reading): Change {
  const { indexed, staged, seen, skipped, end, progress } = reading;
  const removed: string[] = [];
  const changed: string[] = [];
  let chunks = 0;
  for (const [path, document] of indexed) {
    const isUnseen = end?.unseen === 'remove' && !seen.has(path);
    if (isUnseen || skipped.has(path)) removed.push(document.id);
    else if (staged.has(path) && seen.has(path)) changed.push(document.id);
    else chunks += document.chunks;
  }
  let all = 0;
  for (const [path, note] of staged) {
    if (!seen.has(path)) continue;
    all += 1;
    chunks += note.chunks;
  }
  const documents = indexed.size - removed.length + all - changed.length;
  return {
    isAny: all + removed.length > 0,
    added: all - changed.length,
    updated: changed.length,
    removed,
    changed,
    after: { documents, chunks },
    failed: progress.failed,
  };
}

async function replaceAll(
  db: Db,
  work: {
    source: KnowledgeSourceRow;
    sync: ClaimedSync;
    change: Change;
    reading: Reading;
    signal: AbortSignal;
  },
): Promise<void> {
  const { source, sync, change, reading, signal } = work;
  const { namespace, id: sourceId } = source;
  const removed = [...change.removed, ...change.changed];
  const added = stagedPassages(db, { source, sync, reading, signal });
  await replaceDocuments(db, { namespace, sourceId }, { removed, added });
  await deleteDocuments(db, change.removed);
}

const PAGE = 500;

/** Yields the staged documents batch by batch, so that only one batch is in memory at a time. */
async function* stagedPassages(
  db: Db,
  work: {
    source: KnowledgeSourceRow;
    sync: ClaimedSync;
    reading: Reading;
    signal: AbortSignal;
  },
): AsyncGenerator<NewPassages> {
  const { source, sync, reading, signal } = work;
  let page: StagedDocument[];
  let after: string | null = null;
  do {
    page = await listStaged(db, { id: sync.id, after, limit: PAGE });
    for (const staged of page) {
      signal.throwIfAborted();
      if (reading.seen.has(staged.path)) yield* passagesOf(db, { source, sync, staged, signal });
    }
    after = page.at(-1)?.path ?? null;
  } while (page.length === PAGE);
}

async function* passagesOf(
  db: Db,
  work: {
    source: KnowledgeSourceRow;
    sync: ClaimedSync;
    staged: StagedDocument;
    signal: AbortSignal;
  },
): AsyncGenerator<NewPassages> {
  const { source, sync, staged, signal } = work;
  const { namespace, id: sourceId } = source;
  const newId = newUuid();
  const documentId = await upsertSynced(db, { namespace, sourceId, newId, staged });
  const { batchesId, chunks, language } = staged;
  // `replaceDocuments` advances its position by `passages` after each item. The passages in all batches of a document
  // are numbered from the start of the document, so the position must not change between these batches. Each batch is
  // therefore yielded with `passages: 0`. A last item without a batch advances the position by the whole document.
  for (let number = 0; ; number += 1) {
    signal.throwIfAborted();
    const batch = await readStagedBatch(db, { id: sync.id, batchesId, number });
    if (!batch) break;
    yield { documentId, passages: 0, language, batches: [batch] };
  }
  yield { documentId, passages: chunks, language, batches: [] };
}

function resultOf(
  deps: Pick<ApplyDeps, 'nowMs'>,
  { sync, change, documents }: { sync: ClaimedSync; change: Change; documents: number },
): LastSync {
  const { added, updated, removed, failed } = change;
  return {
    documents,
    added,
    updated,
    removed: removed.length,
    failed,
    duration_sec: durationSec(deps, sync),
  };
}
