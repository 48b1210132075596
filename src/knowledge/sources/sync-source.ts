import { ApiError, found } from '../../errors.ts';
import { checkBytes } from './knowledge-quota.ts';
import { contentHashOf, type Content } from '../passages/cut-passages.ts';
import { readText, readUploaded, type ReadContent, type ReadDeps } from './read-content.ts';
import { readUpload, readUploadHash, writeUpload, type Upload } from './knowledge-documents.sql.ts';
import {
  lockSource,
  readSourceText,
  updateSourceState,
  type KnowledgeSourceRow,
} from './knowledge-sources.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { inIndexTransaction, passagesOf, syncedCondition, type IndexDeps } from './index-source.ts';
import { requireSource } from './write-source.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

export type UploadDeps = IndexDeps & ReadDeps;

type SourceKey = { namespace: string; id: string };

/** Maximum number of attempts if the content changes while it is being divided. */
const TRIES = 3;

/**
 * Indexes the text or file of a source again and emits an event, even if nothing has changed.
 * @throws ApiError not_found, no_content, invalid_body, unavailable
 */
export async function syncSource(
  deps: UploadDeps,
  key: SourceKey,
  beforeCommit: CommitHook<KnowledgeSourceRow> = noCommitHook,
): Promise<KnowledgeSourceRow> {
  for (let tries = 1; ; tries += 1) {
    // Reads and divides the content before the transaction begins. Otherwise the transaction would lock the row for too
    // long.
    const known = await requireSource(deps, key);
    const content = await readStored(deps, known);
    if (!content) {
      throw new ApiError(
        'no_content',
        'The source has no content to index yet. Upload the content first.',
      );
    }
    try {
      return await indexContent(deps, { ...key, content }, beforeCommit, async (db) => {
        const source = await lockedSource(db, key);
        if (!(await isStored(db, source, content.hash))) throw new ContentChanged();
        return source;
      });
    } catch (error) {
      if (!(error instanceof ContentChanged) || tries === TRIES) throw error;
    }
  }
}

class ContentChanged extends ApiError {
  constructor() {
    super('unavailable', 'The content changed while it was being indexed. Retry the request.', {
      retryAfterSec: 2,
    });
  }
}

/**
 * Stores the content of a source of type `file` and indexes it. Searches find the previous content until the new
 * content is indexed.
 * @throws ApiError not_found, unsupported_type, invalid_body (not UTF-8, too many passages), unavailable
 */
export async function uploadContent(
  deps: UploadDeps,
  input: SourceKey & { upload: Upload },
  beforeCommit: CommitHook<KnowledgeSourceRow> = noCommitHook,
): Promise<KnowledgeSourceRow> {
  const { upload } = input;
  // This check comes before the upload is divided into passages, which is expensive.
  requireFile(await requireSource(deps, input));
  await checkBytes(deps.pool, deps, { ...input, bytes: upload.content.length });
  const content = await readUploaded(deps, input.namespace, upload);
  return indexContent(deps, { ...input, content }, beforeCommit, async (db) => {
    const source = await lockedSource(db, input);
    requireFile(source);
    await writeUpload(db, source.id, upload);
    return source;
  });
}

function indexContent(
  deps: IndexDeps,
  { namespace, content }: { namespace: string; content: ReadContent },
  beforeCommit: CommitHook<KnowledgeSourceRow>,
  prepare: (db: Db) => Promise<KnowledgeSourceRow>,
): Promise<KnowledgeSourceRow> {
  const write = (): Promise<KnowledgeSourceRow> =>
    inIndexTransaction(deps, async (db, index) => {
      const source = await prepare(db);
      await index(source, content);
      // A source of type `text` that is not ready stays not ready: its declaration has a problem that indexing its text
      // again does not solve.
      if (source.ready || source.type === 'file') {
        const condition = syncedCondition({ chunks: passagesOf(content), failed: content.failed });
        await updateSourceState(db, {
          id: source.id,
          status: 'ready',
          blocked: false,
          ...condition,
        });
      }
      const shown = await lockedSource(db, source);
      await beforeCommit(db, shown);
      return shown;
    });
  const batches = content.documents.flatMap((document) => document.batches);
  return deps.cutter.inTurn(namespace, { batches }, write);
}

async function lockedSource(db: Db, { namespace, id }: SourceKey): Promise<KnowledgeSourceRow> {
  const source = await lockSource(db, id);
  const isThere = source?.deletedAt === null && source.namespace === namespace;
  const { deletedAt: _, ...row } = found(isThere ? source : undefined, 'knowledge source');
  return row;
}

async function readStored(
  deps: UploadDeps,
  source: KnowledgeSourceRow,
): Promise<ReadContent | undefined> {
  if (source.type === 'text') {
    const content = await storedText(deps.pool, source);
    return content && readText(deps, source.namespace, content);
  }
  const upload = await readUpload(deps.pool, source.id);
  return upload && readUploaded(deps, source.namespace, upload);
}

async function storedText(db: Db, { id, name }: KnowledgeSourceRow): Promise<Content | undefined> {
  const text = await readSourceText(db, id);
  return text === null ? undefined : { path: 'text', title: name, text };
}

/** Returns true if the stored content is still the content that was divided. Called after the row is locked. */
async function isStored(db: Db, source: KnowledgeSourceRow, hash: Buffer): Promise<boolean> {
  const { id, type } = source;
  // Compares hashes, because comparing contents would require reading up to 20 MB again.
  if (type === 'file') return (await readUploadHash(db, id))?.equals(hash) ?? false;
  const content = await storedText(db, source);
  return content !== undefined && contentHashOf(content).equals(hash);
}

function requireFile({ type }: KnowledgeSourceRow): void {
  if (type === 'file') return;
  const detail = `Only a source of type \`file\` accepts an upload; this source has the type \`${type}\`.`;
  throw new ApiError('unsupported_type', detail, {
    errors: [{ pointer: '', code: 'unsupported_type', detail }],
  });
}
