import { isDeepStrictEqual } from 'node:util';
import { recordUndeclared } from '../../audit/record-declared.ts';
import { fromUuid } from '../../ids.ts';
import type { WhoElse } from '../../platform/reconcile/actors.ts';
import { recordSource, sourceGone } from './audit-source.ts';
import { checkBytes } from './knowledge-quota.ts';
import { isReadable } from './knowledge-source.ts';
import { deleteSourceChunks } from '../passages/knowledge-chunks.sql.ts';
import { deleteOtherDocuments, deleteUpload } from './knowledge-documents.sql.ts';
import {
  clearSourceIndex,
  lockSource,
  markSourceDeleted,
  readSource,
  updateSourceState,
  upsertSource,
  type KnowledgeSourceRow,
  type SourceCondition,
  type SourceProjection,
} from './knowledge-sources.sql.ts';
import { requireRoom } from '../../platform/declare/quota.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import { assertLeader } from '../../platform/postgres/leadership.ts';
import { CHANNELS } from '../../platform/postgres/notifications.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { contentHashOf, type Content, type CutContent } from '../passages/cut-passages.ts';
import { TextRefused } from '../passages/text-cutter.ts';
import { inIndexTransaction, syncedCondition, type Index, type IndexDeps } from './index-source.ts';

/** What is declared, and the text of it when it is of type text. */
export type DeclaredSource = SourceProjection & {
  /** Why it cannot be put in force; what was indexed stays. */
  problem?: Problem;
};

/** `problem`: the declared one, or what is wrong with the text itself. */
export type ProjectedSource = { row: KnowledgeSourceRow; problem: Problem | undefined };

/**
 * Brings a source's row in line with what is declared. A new text is indexed in the transaction
 * that shows it, with one event; the same text again changes nothing.
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
      await assertLeader(db, epoch);
      await requireRoom(db, deps, 'knowledge_sources', source);
      // Another object had this name before and its deletion was not seen: that one goes first.
      const replaced = await markSourceDeleted(db, source, source.id);
      if (replaced !== undefined) await dropContent(db, replaced.id);
      const isOtherText = content ? !known?.contentHash?.equals(contentHashOf(content)) : false;
      await recordSource(db, { row: known, source, isOtherText, whoElse });
      return project(db, index, { source, content: cut });
    });
  const row = cut ? await deps.cutter.inTurn(cut, write) : await write();
  return { row, problem: source.problem };
}

/** A text that is refused is a problem of its source, whose last text stays in force. */
async function cutDeclared(
  { cutter }: Pick<IndexDeps, 'cutter'>,
  source: DeclaredSource,
  content: Content | undefined,
): Promise<{ source: DeclaredSource; cut: CutContent | undefined }> {
  try {
    return { source, cut: content && (await cutter.cut(content)) };
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    const reason = error.code === 'too_many' ? 'TooManyPassages' : 'InvalidText';
    return { source: { ...source, problem: { reason, message: error.message } }, cut: undefined };
  }
}

async function project(
  db: Db,
  index: Index,
  { source, content }: { source: DeclaredSource; content: CutContent | undefined },
): Promise<KnowledgeSourceRow> {
  const before = await lockSource(db, source.id);
  if (before && before.type !== source.type) {
    await dropContent(db, source.id);
    await clearSourceIndex(db, source.id);
  }
  const row = await upsertSource(db, source);
  if (!content || row.contentHash?.equals(content.hash)) {
    const state = stateOf(source, row);
    await updateSourceState(db, { id: row.id, ...state });
    return { ...row, ...state };
  }
  await index(row, content);
  const chunks = content.passages;
  await updateSourceState(db, { id: row.id, status: 'ready', ...syncedCondition({ chunks }) });
  return (await readSource(db, row)) ?? row;
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
  return isDeepStrictEqual({ ...known, ...projection, ...state }, known);
}

/** The state of a source when there is nothing to index now. */
function stateOf(
  { problem, type }: DeclaredSource,
  { contentHash, chunks }: KnowledgeSourceRow,
): SourceCondition & Pick<KnowledgeSourceRow, 'status'> {
  const isIndexed = contentHash !== null;
  if (problem) {
    // What was indexed is still found.
    const status = isIndexed ? 'ready' : isReadable(type) ? 'pending' : 'error';
    return { status, ready: false, ...problem };
  }
  if (isIndexed) return { status: 'ready', ...syncedCondition({ chunks }) };
  const message = 'waits for its content: upload it by PUT /v1/knowledge/sources/{id}/content';
  return { status: 'pending', ready: false, reason: 'Pending', message };
}

/** The declaration is gone: hides the source and deletes its passages. */
export async function removeSource(
  deps: Pick<IndexDeps, 'pool' | 'notifier'>,
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const gone = await markSourceDeleted(db, input);
    if (gone === undefined) return;
    await dropContent(db, gone.id);
    await recordUndeclared(db, {
      noun: 'knowledge_source',
      namespace: input.namespace,
      target: fromUuid('ks', gone.id),
      managedBy: gone.managedBy,
      ...sourceGone(gone),
    });
  });
  deps.notifier.notify(CHANNELS.projected, ['*']);
}

async function dropContent(db: Db, sourceId: string): Promise<void> {
  await deleteSourceChunks(db, sourceId);
  await deleteOtherDocuments(db, sourceId, []);
  await deleteUpload(db, sourceId);
}
