import { fromUuid, newUuid } from '../../ids.ts';
import type { QuotaDeps } from '../../platform/declare/quota.ts';
import { requireBytes } from './knowledge-quota.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { CutContent } from '../passages/cut-passages.ts';
import {
  deleteSourceChunks,
  indexOwner,
  insertBatches,
  nextPosition,
  allowLongStatements,
} from '../passages/knowledge-chunks.sql.ts';
import { deleteOtherDocuments, upsertDocument } from './knowledge-documents.sql.ts';
import {
  updateSourceIndex,
  type KnowledgeSourceRow,
  type LastSync,
} from './knowledge-sources.sql.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { emitEvent, type Announce, type Emitted } from '../../events/emit-event.ts';
import type { TextCutter } from '../passages/text-cutter.ts';

export type IndexDeps = QuotaDeps & {
  pool: Pool;
  notifier: Notifier;
  announce: Announce;
  metrics: Pick<Metrics, 'knowledgeSyncs'>;
  /** A content is cut before its transaction begins, to keep that short. */
  cutter: Pick<TextCutter, 'cut' | 'inTurn'>;
  nowMs: () => number;
};

/**
 * Replaces all that a source had by a document: until the transaction commits, the old passages are
 * found. The caller has locked the source's row.
 */
export type Index = (source: KnowledgeSourceRow, content: CutContent) => Promise<void>;

/**
 * Runs one transaction that may index a source. Its event is announced after the commit, and it is
 * counted once, as `ready` or as `error`, however often the transaction is run.
 */
export async function inIndexTransaction(
  deps: IndexDeps,
  work: (db: Db, index: Index) => Promise<KnowledgeSourceRow>,
): Promise<KnowledgeSourceRow> {
  let type: KnowledgeSourceRow['type'] | undefined;
  let emitted: Emitted | undefined;
  const count = (result: 'ready' | 'error'): void => {
    if (type !== undefined) deps.metrics.knowledgeSyncs.inc({ type, result });
  };
  const run = inTransaction(deps.pool, (db) => {
    type = emitted = undefined;
    return work(db, async (source, content) => {
      type = source.type;
      const sync = await replaceContent(db, deps, { source, content });
      emitted = await emitSynced(db, deps, { source, sync });
    });
  });
  const row = await run.catch((error: unknown) => {
    count('error');
    throw error;
  });
  if (emitted) deps.announce(emitted);
  count('ready');
  deps.notifier.notify(CHANNELS.projected, [row.uid]);
  return row;
}

async function replaceContent(
  db: Db,
  deps: Pick<IndexDeps, 'nowMs' | 'limits'>,
  { source, content }: { source: KnowledgeSourceRow; content: CutContent },
): Promise<LastSync> {
  const startedMs = deps.nowMs();
  const { id: sourceId, namespace } = source;
  const { path, title, hash, bytes, passages, batches } = content;
  await allowLongStatements(db);
  // Positions are never reused: a search that runs meanwhile must not read another passage there.
  const first = await nextPosition(db, sourceId);
  await deleteSourceChunks(db, sourceId);
  const removed = await deleteOtherDocuments(db, sourceId, [path]);
  const document = await upsertDocument(db, {
    id: newUuid(startedMs),
    namespace,
    sourceId,
    path,
    title,
    contentHash: hash,
    bytes,
    chunks: passages,
  });
  const owner = { namespace, sourceId, documentId: document.id };
  await insertBatches(db, owner, { batches, first });
  await indexOwner(db, sourceId);
  const sync: LastSync = {
    documents: 1,
    added: document.change === 'added' ? 1 : 0,
    updated: document.change === 'updated' ? 1 : 0,
    removed,
    failed: 0,
    duration_sec: Math.max(0, deps.nowMs() - startedMs) / 1_000,
  };
  const counts = { documents: 1, chunks: passages, bytes };
  await updateSourceIndex(db, { id: sourceId, ...counts, contentHash: hash, lastSync: sync });
  await requireBytes(db, deps, { namespace, before: source.bytes, bytes });
  return sync;
}

/** Emits the event of a sync, in its transaction. */
function emitSynced(
  db: Db,
  { nowMs }: Pick<IndexDeps, 'nowMs'>,
  { source, sync }: { source: KnowledgeSourceRow; sync: LastSync },
): Promise<Emitted> {
  const { namespace, type, name } = source;
  const { duration_sec, ...counts } = sync;
  const event = {
    namespace,
    type: 'knowledge.source.synced' as const,
    data: {
      source_id: fromUuid('ks', source.id),
      source_type: type,
      name,
      status: 'ready',
      ...counts,
      duration_sec,
    },
  };
  return emitEvent(db, event, nowMs());
}

/** The condition of a source that is indexed. */
export function syncedCondition({ chunks }: { chunks: number }) {
  const passages = chunks === 1 ? '1 passage' : `${chunks} passages`;
  return { ready: true, reason: 'Synced', message: `${passages} can be found` };
}
