import { isDeepStrictEqual } from 'node:util';
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
import { assertLeader } from '../../platform/postgres/leadership.ts';
import { CHANNELS } from '../../platform/postgres/notifications.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import {
  contentHashOf,
  cutContent,
  inIndexTransaction,
  syncedCondition,
  type CutContent,
  type Index,
  type IndexDeps,
  type SourceContent,
} from './index-source.ts';

/** What is declared, and the text of it when it is of type text. */
export type DeclaredSource = SourceProjection & {
  /** Why it cannot be put in force; what was indexed stays. */
  problem?: { reason: string; message: string };
};

/**
 * Brings a source's row in line with what is declared. A new text is indexed in the transaction
 * that shows it, with one event; the same text again changes nothing.
 */
export async function projectSource(
  deps: IndexDeps,
  { epoch, source }: { epoch: number; source: DeclaredSource },
): Promise<KnowledgeSourceRow> {
  const content = contentOf(source);
  const known = await readSource(deps.pool, source);
  if (known && isInForce(known, source, content)) return known;
  const cut = content && cutContent(content);
  return inIndexTransaction(deps, async (db, index) => {
    await assertLeader(db, epoch);
    // Another object had this name before and its deletion was not seen: that one goes first.
    const replaced = await markSourceDeleted(db, source, source.id);
    if (replaced !== undefined) await dropContent(db, replaced);
    return project(db, index, { source, content: cut });
  });
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
  const chunks = content.passages.length;
  await updateSourceState(db, { id: row.id, status: 'ready', ...syncedCondition({ chunks }) });
  return (await readSource(db, row)) ?? row;
}

function contentOf({ text, name, problem }: DeclaredSource): SourceContent | undefined {
  return text === null || problem ? undefined : { path: 'text', title: name, text };
}

function isInForce(
  known: KnowledgeSourceRow,
  source: DeclaredSource,
  content: SourceContent | undefined,
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
    const id = await markSourceDeleted(db, input);
    if (id !== undefined) await dropContent(db, id);
  });
  deps.notifier.notify(CHANNELS.projected, ['*']);
}

async function dropContent(db: Db, sourceId: string): Promise<void> {
  await deleteSourceChunks(db, sourceId);
  await deleteOtherDocuments(db, sourceId, []);
  await deleteUpload(db, sourceId);
}
