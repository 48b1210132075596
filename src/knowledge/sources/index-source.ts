import { fromUuid, newUuid } from '../../ids.ts';
import type { QuotaDeps } from '../../platform/declare/quota.ts';
import { requireBytes } from './knowledge-quota.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import type { CutContent } from '../passages/cut-passages.ts';
import {
  fallSilentAbove,
  replaceDocuments,
  type NewPassages,
} from '../passages/replace-documents.ts';
import { deleteOtherDocuments, listHashes, upsertDocument } from './knowledge-documents.sql.ts';
import {
  updateSourceIndex,
  type KnowledgeSourceRow,
  type LastSync,
} from './knowledge-sources.sql.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { deferEvent, emitDeferred, type Deferred } from '../../events/deferred-events.ts';
import { emitEvent, type Announce, type Emitted } from '../../events/emit-event.ts';
import { isSilent } from '../../platform/postgres/silence.ts';
import type { ReadContent } from './read-content.ts';
import type { TextCutter } from '../passages/text-cutter.ts';

export type IndexDeps = QuotaDeps & {
  pool: Pool;
  notifier: Notifier;
  announce: Announce;
  metrics: Pick<Metrics, 'knowledgeSyncs'>;
  /** Divides texts. This happens before the transaction begins, to keep the transaction short. */
  cutter: Pick<TextCutter, 'cut' | 'inTurn'>;
  nowMs: () => number;
};

/**
 * Replaces all documents of a source. Searches find the old passages until the transaction commits. The caller must
 * have locked the source's row.
 */
export type Index = (source: KnowledgeSourceRow, content: ReadContent) => Promise<void>;

/**
 * Runs a transaction that may index a source, and announces the resulting event after the commit. The metric counts the
 * indexing only once, as `ready` or `error`, even if the transaction is repeated.
 */
export async function inIndexTransaction(
  deps: IndexDeps,
  work: (db: Db, index: Index) => Promise<KnowledgeSourceRow>,
): Promise<KnowledgeSourceRow> {
  let type: KnowledgeSourceRow['type'] | undefined;
  let emitted: Emitted | Deferred | undefined;
  const count = (result: 'ready' | 'error'): void => {
    if (type !== undefined) deps.metrics.knowledgeSyncs.inc({ type, result });
  };
  const run = inTransaction(deps.pool, async (db) => {
    type = emitted = undefined;
    let grown: { namespace: string; before: number; bytes: number } | undefined;
    const row = await work(db, async (source, content) => {
      type = source.type;
      await fallSilentAbove(db, source.chunks + passagesOf(content));
      const lastSync = await replaceContent(db, deps, { source, content });
      const { documents, hash: contentHash } = content;
      const bytes = documents.reduce((sum, document) => sum + document.bytes, 0);
      const counts = { documents: documents.length, chunks: passagesOf(content), bytes };
      [emitted] = await Promise.all([
        emitSynced(db, deps, { source, sync: lastSync }),
        updateSourceIndex(db, { id: source.id, ...counts, contentHash, lastSync }),
      ]);
      grown = { namespace: source.namespace, before: source.bytes, bytes };
    });
    // This must be the last step, because it makes concurrent transactions that add bytes to the namespace wait until
    // this one commits.
    if (grown) await requireBytes(db, deps, grown);
    return row;
  });
  const row = await run.catch((error: unknown) => {
    count('error');
    throw error;
  });
  if (emitted) await announceSynced(deps, emitted);
  count('ready');
  const { namespace, id, uid } = row;
  tellProjected(deps, { resource: 'knowledge_sources', namespace, id }, [uid]);
  return row;
}

/**
 * Replaces the documents of a source. If the content has several documents, unchanged ones stay. A single document is
 * always indexed again.
 */
async function replaceContent(
  db: Db,
  deps: Pick<IndexDeps, 'nowMs'>,
  { source, content }: { source: KnowledgeSourceRow; content: ReadContent },
): Promise<LastSync> {
  const startedMs = deps.nowMs();
  const { id: sourceId, namespace } = source;
  const { documents, failed } = content;
  const known = source.contentHash === null ? new Map() : await listHashes(db, sourceId);
  const isOne = documents.length === 1;
  const isSame = ({ path, hash: own }: CutContent): boolean =>
    known.get(path)?.hash.equals(own) ?? false;
  const changed = isOne ? documents : documents.filter((document) => !isSame(document));
  const paths = new Set(documents.map(({ path }) => path));
  const gone = [...known].filter(([path]) => !paths.has(path)).map(([, { id }]) => id);
  const replaced = changed.flatMap(({ path }) => known.get(path)?.id ?? []);

  const added: NewPassages[] = [];
  for (const cut of changed) {
    const { path, title, hash: contentHash, bytes, passages: chunks } = cut;
    const own = { id: newUuid(startedMs), namespace, sourceId };
    const row = { ...own, path, title, contentHash, bytes, chunks };
    added.push({ ...cut, documentId: await upsertDocument(db, row) });
  }
  const removed = [...gone, ...replaced];
  if (removed.length + added.length > 0) {
    await replaceDocuments(db, { namespace, sourceId }, { removed, added });
  }
  if (gone.length > 0) await deleteOtherDocuments(db, sourceId, [...paths]);
  return {
    documents: documents.length,
    added: documents.filter(({ path }) => !known.has(path)).length,
    updated: documents.filter((document) => known.has(document.path) && !isSame(document)).length,
    removed: gone.length,
    failed: failed.length,
    duration_sec: Math.max(0, deps.nowMs() - startedMs) / 1_000,
  };
}

/** Counts the passages of all documents. */
export const passagesOf = ({ documents }: Pick<ReadContent, 'documents'>): number =>
  documents.reduce((sum, { passages }) => sum + passages, 0);

/**
 * Emits a sync's event in the sync's transaction, or defers it if the transaction is large. `status` says whether the
 * sync failed.
 */
export function emitSynced(
  db: Db,
  { nowMs }: Pick<IndexDeps, 'nowMs'>,
  {
    source,
    sync,
    status = 'ready',
  }: {
    source: KnowledgeSourceRow;
    sync: LastSync;
    status?: 'ready' | 'error';
  },
): Promise<Emitted | Deferred> {
  const { namespace, type, name } = source;
  const { duration_sec, ...counts } = sync;
  const event = {
    namespace,
    type: 'knowledge.source.synced' as const,
    data: {
      source_id: fromUuid('ks', source.id),
      source_type: type,
      name,
      status,
      ...counts,
      duration_sec,
    },
  };
  return isSilent(db) ? deferEvent(db, event) : emitEvent(db, event, nowMs());
}

/** Announces an event after the commit. Never fails: a deferred event that cannot be emitted now is emitted later. */
export async function announceSynced(
  deps: Pick<IndexDeps, 'pool' | 'announce' | 'nowMs'>,
  synced: Emitted | Deferred,
): Promise<void> {
  if ('eventId' in synced) deps.announce(synced);
  else await emitDeferred(deps, synced).catch(() => undefined);
}

/** Maximum number of unreadable files that the condition's message names. */
const NAMED_MAX = 5;

/** Returns the condition of a source after it was indexed. */
export function syncedCondition({
  chunks,
  failed = [],
}: {
  chunks: number;
  failed?: ReadContent['failed'];
}) {
  const passages = chunks === 1 ? '1 passage' : `${chunks} passages`;
  const found = `${passages} indexed`;
  return { ready: true, reason: 'Synced', message: `${found}${failedWords(failed)}` };
}

function failedWords(failed: ReadContent['failed']): string {
  if (failed.length === 0) return '';
  const named = failed.slice(0, NAMED_MAX).map(({ name, detail }) => `${name} (${detail})`);
  const others = failed.length > NAMED_MAX ? `, and ${failed.length - NAMED_MAX} others` : '';
  const count = failed.length === 1 ? '1 file' : `${failed.length} files`;
  return `; ${count} could not be read: ${named.join(', ')}${others}`;
}
