import type { Deferred } from '../../events/deferred-events.ts';
import type { Announce, Emitted } from '../../events/emit-event.ts';
import { failpoint } from '../../failpoints.ts';
import { newUuid } from '../../ids.ts';
import type { QuotaDeps } from '../../platform/declare/quota.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { countWords } from '../passages/knowledge-postings.sql.ts';
import { replaceDocuments, type NewPassages } from '../passages/replace-documents.ts';
import { fetchKeyOf, nextTime } from '../sources/fetched-source.ts';
import {
  announceSynced,
  emitSynced,
  fallSilentAbove,
  syncedCondition,
} from '../sources/index-source.ts';
import { requireBytes } from '../sources/knowledge-quota.ts';
import {
  lockSource,
  type KnowledgeSourceRow,
  type LastSync,
} from '../sources/knowledge-sources.sql.ts';
import { finishSync, isHeld, type ClaimedSync } from './claims.sql.ts';
import { LeaseLost } from './hold-lease.ts';
import type { Reading } from './reading.ts';
import { listStaged, readStagedBatch, type StagedDocument } from './staged-documents.sql.ts';
import { requireFewWords, requireRoomFor } from './sync-refused.ts';
import {
  deleteDocuments,
  sumDocuments,
  upsertSynced,
  writeSynced,
  writeValidators,
} from './synced-documents.sql.ts';

export type ApplyDeps = QuotaDeps & {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  announce: Announce;
  metrics: Pick<Metrics, 'knowledgeSyncs' | 'knowledgeSyncDuration' | 'quotaRefused'>;
  nowMs: () => number;
  /** Maximum number of distinct words in a source. Defaults to the limit of the contract. */
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
    const { documents, chunks, bytes } = totals;
    await writeSynced(db, {
      id: source.id,
      documents,
      chunks,
      bytes,
      key: work.key,
      cursor: reading.end?.cursor ?? null,
      lastSync: result,
      nextSyncAt: nextTime(source.spec.schedule, deps.nowMs()),
      ...stateAfter({ source, key: work.key, chunks }),
    });
    await requireBytes(db, deps, { namespace: source.namespace, before: source.bytes, bytes });
    const emitted = await emitSynced(db, deps, { source, sync: result });
    await failpoint('sync.applied');
    signal.throwIfAborted();
    const { progress } = reading;
    if (!(await finishSync(db, { ...sync, status: 'succeeded', result, progress }))) {
      throw new LeaseLost('canceled or taken over');
    }
    return { source, emitted };
  });
  await failpoint('sync.finished');
  await tellFinished(deps, { source, sync, emitted, result: 'ready' });
}

/** Announces the event of a finished sync after the commit. */
export async function tellFinished(
  deps: Pick<ApplyDeps, 'pool' | 'notifier' | 'announce' | 'metrics' | 'nowMs'>,
  end: {
    source: Pick<KnowledgeSourceRow, 'id' | 'uid' | 'namespace' | 'type'>;
    sync: ClaimedSync;
    emitted: Emitted | Deferred;
    result: 'ready' | 'error';
  },
): Promise<void> {
  const { source, sync, emitted, result } = end;
  const { namespace, id, uid, type } = source;
  await announceSynced(deps, emitted);
  deps.metrics.knowledgeSyncs.inc({ type, result });
  deps.metrics.knowledgeSyncDuration.observe({ type }, durationSec(deps, sync));
  tellProjected(deps, { resource: 'knowledge_sources', namespace, id }, [uid]);
}

export function durationSec({ nowMs }: Pick<ApplyDeps, 'nowMs'>, { startedAt }: ClaimedSync) {
  return Math.max(0, nowMs() - (startedAt ?? nowMs())) / 1_000;
}

/**
 * Locks the source of a sync.
 * @throws LeaseLost if the source was deleted or this process no longer holds the lease of the sync
 */
export async function lockHeld(db: Db, sync: ClaimedSync): Promise<KnowledgeSourceRow> {
  const locked = await lockSource(db, sync.sourceId);
  if (locked?.deletedAt !== null || !(await isHeld(db, sync))) {
    throw new LeaseLost('canceled or taken over');
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
  // Each batch is yielded with `passages: 0`, because the positions in its passages already count from the start of the
  // document. A last item advances the position by the whole document.
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

/**
 * Returns the state of a source after a sync. If its declaration has a problem or has changed in the meantime, the
 * source does not become ready.
 */
function stateAfter({
  source,
  key,
  chunks,
}: {
  source: KnowledgeSourceRow;
  key: string;
  chunks: number;
}): Pick<KnowledgeSourceRow, 'status' | 'ready' | 'reason' | 'message'> {
  const { ready, reason, message, blocked, spec } = source;
  if (blocked || fetchKeyOf(spec) !== key) return { status: 'ready', ready, reason, message };
  return { status: 'ready', ...syncedCondition({ chunks }) };
}
