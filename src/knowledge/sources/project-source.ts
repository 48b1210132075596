import { isDeepStrictEqual } from 'node:util';
import { recordUndeclared } from '../../audit/record-declared.ts';
import { fromUuid } from '../../ids.ts';
import type { WhoElse } from '../../platform/reconcile/actors.ts';
import { recordSource, sourceGone } from './audit-source.ts';
import { checkBytes } from './knowledge-quota.ts';
import { fetchKeyOf, isFetched, nextTime } from './fetched-source.ts';
import { deleteSourceChunks } from '../passages/knowledge-chunks.sql.ts';
import { deleteOtherDocuments, deleteUpload } from './knowledge-documents.sql.ts';
import {
  askForSync,
  clearSourceIndex,
  lockSource,
  markSourceDeleted,
  readSource,
  updateSourceState,
  upsertSource,
  writeNextSync,
  type KnowledgeSourceRow,
  type LockedSource,
  type SourceProjection,
  type SourceState,
} from './knowledge-sources.sql.ts';
import { cancelSync, deleteStaged, queueSync } from './knowledge-syncs.sql.ts';
import { roomFor } from '../../platform/declare/quota.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import { assertLeader } from '../../platform/postgres/leadership.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import { fallSilent } from '../../platform/postgres/silence.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { contentHashOf, type Content, type CutContent } from '../passages/cut-passages.ts';
import { TextRefused } from '../passages/text-cutter.ts';
import { inIndexTransaction, syncedCondition, type Index, type IndexDeps } from './index-source.ts';
import { readOf } from './read-content.ts';

/** A declared source, including its text if it is of type `text`. */
export type DeclaredSource = SourceProjection & {
  /** Reason why the declaration cannot be applied. Content that is already indexed stays. */
  problem?: Problem;
};

/** Result of `projectSource`. `problem` comes from the declaration, or from the attempt to index its text. */
export type ProjectedSource = { row: KnowledgeSourceRow; problem: Problem | undefined };

/**
 * Updates a source's row to match its declaration. A changed text is indexed in the same transaction, with one event.
 * An unchanged text is not indexed again.
 */
export async function projectSource(
  deps: IndexDeps,
  { epoch, source: declared, whoElse }: { epoch: number; source: DeclaredSource; whoElse: WhoElse },
): Promise<ProjectedSource> {
  const content = contentOf(declared);
  const known = await readSource(deps.pool, declared);
  if (known && isInForce(known, declared, content)) {
    return { row: known, problem: declared.problem };
  }
  if (content) await checkBytes(deps.pool, deps, { ...declared, text: content.text });
  const { source, cut } = await cutDeclared(deps, declared, content);
  const write = (): Promise<KnowledgeSourceRow> =>
    inIndexTransaction(deps, async (db, index) => {
      const [, requireRoom, replaced, before] = await Promise.all([
        assertLeader(db, epoch),
        roomFor(db, deps, 'knowledge_sources', source),
        // The operator may have missed the deletion of an earlier object with this name. In that case, deletes that
        // object's source first.
        markSourceDeleted(db, source, source.id),
        lockSource(db, source.id),
      ]);
      if (replaced !== undefined) await dropContent(db, replaced.id);
      const isOtherText = content ? !known?.contentHash?.equals(contentHashOf(content)) : false;
      await recordSource(db, { row: known, source, isOtherText, whoElse });
      const row = await project(db, index, { before, source, content: cut, nowMs: deps.nowMs() });
      await requireRoom();
      return row;
    });
  const row = cut ? await deps.cutter.inTurn(source.namespace, cut, write) : await write();
  return { row, problem: source.problem };
}

/**
 * Divides a declared text into passages. If the text is refused, the source gets a problem and its last indexed text
 * stays.
 */
async function cutDeclared(
  { cutter }: Pick<IndexDeps, 'cutter'>,
  source: DeclaredSource,
  content: Content | undefined,
): Promise<{ source: DeclaredSource; cut: CutContent | undefined }> {
  try {
    return { source, cut: content && (await cutter.cut(source.namespace, content)) };
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    const reason = error.code === 'too_many' ? 'TooManyPassages' : 'InvalidText';
    return { source: { ...source, problem: { reason, message: error.message } }, cut: undefined };
  }
}

async function project(
  db: Db,
  index: Index,
  change: {
    before: LockedSource | undefined;
    source: DeclaredSource;
    content: CutContent | undefined;
    nowMs: number;
  },
): Promise<KnowledgeSourceRow> {
  const { before, source, content, nowMs } = change;
  if (before && before.type !== source.type) {
    await dropContent(db, source.id);
    await clearSourceIndex(db, source.id);
  }
  const row = await upsertSource(db, source);
  if (!content || row.contentHash?.equals(content.hash)) {
    await updateSourceState(db, { id: row.id, ...stateOf(source, row) });
    const isMoved = before?.spec.schedule !== source.spec.schedule || before?.deletedAt !== null;
    await askFor(db, { source, row, isMoved, nowMs });
  } else {
    await index(row, readOf(content));
    const state = { status: 'ready', blocked: false } as const;
    const synced = syncedCondition({ chunks: content.passages });
    const [, indexed] = await Promise.all([
      updateSourceState(db, { id: row.id, ...state, ...synced }),
      readSource(db, row),
    ]);
    return indexed ?? row;
  }
  return (await readSource(db, row)) ?? row;
}

/**
 * If the fetch settings of a source have changed, cancels its unfinished sync and queues a new one. If only the
 * schedule has changed, stores the time of the next sync according to the new schedule.
 */
async function askFor(
  db: Db,
  asked: { source: DeclaredSource; row: KnowledgeSourceRow; isMoved: boolean; nowMs: number },
): Promise<void> {
  const { source, row, isMoved, nowMs } = asked;
  const key = fetchKeyOf(source.spec);
  if (key === null || source.problem) return;
  const nextSyncAt = nextTime(source.spec.schedule, nowMs);
  const { id } = row;
  if (row.askedKey !== key) {
    await cancelSync(db, { sourceId: id, error: 'the fetch settings of the source have changed' });
    await askForSync(db, { id, key, nextSyncAt });
    await queueSync(db, { sourceId: id, trigger: 'declared' });
  } else if (isMoved) await writeNextSync(db, { id, nextSyncAt });
}

function contentOf({ text, name, problem }: DeclaredSource): Content | undefined {
  return text === null || problem ? undefined : { path: 'text', title: name, text };
}

function isInForce(
  known: KnowledgeSourceRow,
  source: DeclaredSource,
  content: Content | undefined,
): boolean {
  const { problem: _, text: __, ...projection } = source;
  if (content && !known.contentHash?.equals(contentHashOf(content))) return false;
  const state = stateOf(source, known);
  const isAsked = source.problem !== undefined || fetchKeyOf(source.spec) === known.askedKey;
  // While a sync is unfinished, the row shows the status of that sync, which may differ from the status that the
  // declaration implies. The two are therefore not compared.
  const status = known.sync ? known.status : state.status;
  return isAsked && isDeepStrictEqual({ ...known, ...projection, ...state, status }, known);
}

/** Returns the state of a source whose declaration contains no new text to index. */
function stateOf({ problem, type, spec }: DeclaredSource, known: KnowledgeSourceRow): SourceState {
  const isIndexed = known.contentHash !== null;
  if (problem) {
    // The status is `ready` despite the problem, because searches still find the content that is already indexed.
    const status = isIndexed ? 'ready' : 'pending';
    return { status, ready: false, blocked: true, ...problem };
  }
  if (isFetched(type)) return stateOfFetched(fetchKeyOf(spec), known);
  if (isIndexed) return { status: 'ready', blocked: false, ...syncedCondition(known) };
  const message =
    'the source has no content yet: upload it with PUT /v1/knowledge/sources/{id}/content';
  return { status: 'pending', ready: false, reason: 'Pending', message, blocked: false };
}

/**
 * Returns the state of a fetched source: the state that its last sync wrote, unless the fetch settings have changed.
 */
function stateOfFetched(key: string | null, known: KnowledgeSourceRow): SourceState {
  const { ready, reason, message, syncFailures, contentHash } = known;
  const status = syncFailures > 0 ? 'error' : contentHash === null ? 'pending' : 'ready';
  if (key === known.askedKey && !known.blocked) {
    return { status, ready, reason, message, blocked: false };
  }
  if (key === known.syncedKey) return { status, blocked: false, ...syncedCondition(known) };
  const why = 'the first sync with the current settings has not finished yet';
  return { status, ready: false, reason: 'Pending', message: why, blocked: false };
}

/** Deletes the content of a source and marks it as deleted, after its declaration was deleted. */
export async function removeSource(
  deps: Pick<IndexDeps, 'pool' | 'notifier'>,
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  const id = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await fallSilent(db); // This transaction emits no event, so readers of events need not wait for it.
    const gone = await markSourceDeleted(db, input);
    if (gone === undefined) return undefined;
    await dropContent(db, gone.id);
    await recordUndeclared(db, {
      noun: 'knowledge_source',
      namespace: input.namespace,
      target: fromUuid('ks', gone.id),
      managedBy: gone.managedBy,
      ...sourceGone(gone),
    });
    return gone.id;
  });
  if (id === undefined) return;
  tellProjected(deps, { resource: 'knowledge_sources', namespace: input.namespace, id });
}

async function dropContent(db: Db, sourceId: string): Promise<void> {
  await cancelSync(db, { sourceId, error: 'the source was deleted' });
  await deleteStaged(db, sourceId);
  await deleteSourceChunks(db, sourceId);
  await deleteOtherDocuments(db, sourceId, []);
  await deleteUpload(db, sourceId);
}
