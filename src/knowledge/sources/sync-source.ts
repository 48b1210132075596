import { ApiError, found } from '../../errors.ts';
import { isReadable } from './knowledge-source.ts';
import { readUpload, writeUpload, type Upload } from './knowledge-documents.sql.ts';
import {
  lockSource,
  readSourceText,
  updateSourceState,
  type KnowledgeSourceRow,
} from './knowledge-sources.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import {
  cutContent,
  inIndexTransaction,
  syncedCondition,
  type CutContent,
  type IndexDeps,
  type SourceContent,
} from './index-source.ts';
import { requireSource, unsupportedType } from './write-source.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

type SourceKey = { namespace: string; id: string };

/**
 * Indexes the content of a source once more, with an event, whether anything is new or not.
 * @throws ApiError not_found, unsupported_type, no_content
 */
export function syncSource(
  deps: IndexDeps,
  key: SourceKey,
  beforeCommit: CommitHook<KnowledgeSourceRow> = noCommitHook,
): Promise<KnowledgeSourceRow> {
  return indexContent(deps, beforeCommit, async (db) => {
    const source = await lockedSource(db, key);
    if (!isReadable(source.type)) throw unsupportedType(source.type);
    const content = await storedContent(db, source);
    if (!content) {
      throw new ApiError('no_content', 'there is nothing to index yet: upload the content first');
    }
    return { source, content: cutContent(content) };
  });
}

/**
 * Stores the content of a source of type `file` and indexes it; until then the last content is
 * found.
 * @throws ApiError not_found, unsupported_type
 */
export async function uploadContent(
  deps: IndexDeps,
  input: SourceKey & { upload: Upload; text: string },
): Promise<KnowledgeSourceRow> {
  const { upload, text } = input;
  // Checked first, so that no upload is cut into passages for nothing.
  requireFile(await requireSource(deps, input));
  const content = cutContent({ ...pathOf(upload), text });
  return indexContent(deps, noCommitHook, async (db) => {
    const source = await lockedSource(db, input);
    requireFile(source);
    await writeUpload(db, source.id, upload);
    return { source, content };
  });
}

function indexContent(
  deps: IndexDeps,
  beforeCommit: CommitHook<KnowledgeSourceRow>,
  prepare: (db: Db) => Promise<{ source: KnowledgeSourceRow; content: CutContent }>,
): Promise<KnowledgeSourceRow> {
  return inIndexTransaction(deps, async (db, index) => {
    const { source, content } = await prepare(db);
    await index(source, content);
    // A source that is not in force for another reason stays so.
    if (source.ready || source.type === 'file') {
      const condition = syncedCondition({ chunks: content.passages.length });
      await updateSourceState(db, { id: source.id, status: 'ready', ...condition });
    }
    const shown = await lockedSource(db, source);
    await beforeCommit(db, shown);
    return shown;
  });
}

async function lockedSource(db: Db, { namespace, id }: SourceKey): Promise<KnowledgeSourceRow> {
  const source = await lockSource(db, id);
  const isThere = source?.deletedAt === null && source.namespace === namespace;
  const { deletedAt: _, ...row } = found(isThere ? source : undefined, 'knowledge source');
  return row;
}

async function storedContent(
  db: Db,
  { id, type, name }: KnowledgeSourceRow,
): Promise<SourceContent | undefined> {
  if (type === 'text') {
    const text = await readSourceText(db, id);
    return text === null ? undefined : { path: 'text', title: name, text };
  }
  const upload = await readUpload(db, id);
  return upload && { ...pathOf(upload), text: upload.content.toString('utf8') };
}

function pathOf({ fileName }: Upload): { path: string; title: string } {
  const name = fileName ?? 'content';
  return { path: name, title: name };
}

function requireFile({ type }: KnowledgeSourceRow): void {
  if (type === 'file') return;
  const detail = `content is uploaded to sources of type file; this one is of type ${type}`;
  throw new ApiError('unsupported_type', detail, {
    errors: [{ pointer: '', code: 'unsupported_type', detail }],
  });
}
