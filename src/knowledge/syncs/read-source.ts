import { failpoint } from '../../failpoints.ts';
import { newUuid } from '../../ids.ts';
import type { FairQueue } from '../../platform/controller/fair-queue.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Content, CutContent } from '../passages/cut-passages.ts';
import { readBatch, type Batch } from '../passages/packed-chunks.ts';
import { TextRefused, type TextCutter } from '../passages/text-cutter.ts';
import type { Fetched, FetchEnd, Fetcher } from '../sources/fetching.ts';
import type { KnowledgeSourceRow } from '../sources/knowledge-sources.sql.ts';
import type { Lease } from './claims.sql.ts';
import { LeaseLost } from './hold-lease.ts';
import {
  documentHash,
  noteProblem,
  noteStaged,
  storable,
  validatorsOf,
  type Reading,
} from './reading.ts';
import { stageBatches, stageDocument, unstageDocument } from './staged-documents.sql.ts';
import { DOCUMENT_BYTES_MAX, PATH_BYTES_MAX, requireRoomFor } from './sync-refused.ts';

export type ReadDeps = { pool: Pool; cutter: Pick<TextCutter, 'cut'>; writes: FairQueue };
/** Dependencies of the functions that stage the documents of one source. */
type StageDeps = {
  pool: Pool;
  cut: (content: Content) => Promise<CutContent>;
  write: (work: () => Promise<boolean>) => Promise<boolean>;
};

type Told = Extract<Fetched, { path: string }>;
type FetchedDocument = Extract<Fetched, { kind: 'document' }>;

/** Error that wraps any error thrown by a fetcher. The sync that receives it fails. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
}

/**
 * Reads a source through its fetcher and stages each changed document. Stages nothing for unchanged documents.
 * @throws FetchFailed, SyncRefused, LeaseLost, and the reason of `signal`
 */
export async function readWhole(
  deps: ReadDeps,
  input: {
    source: KnowledgeSourceRow;
    cursor: string | null;
    fetcher: Fetcher;
    lease: Lease;
    reading: Reading;
    signal: AbortSignal;
  },
): Promise<void> {
  const { source, cursor, fetcher, lease, reading, signal } = input;
  const known = (path: string) => Promise.resolve(validatorsOf(reading, path));
  const told = fetcher({ source, known, cursor, signal });
  const { pool, cutter, writes } = deps;
  const { namespace } = source;
  const own: StageDeps = {
    pool,
    cut: (content) => cutter.cut(namespace, content),
    write: (work) => writes.run(namespace, work, signal),
  };
  try {
    for (;;) {
      const next = await nextOf(told, signal);
      if (next.done) {
        reading.end = next.value;
        return;
      }
      await take(own, { lease, reading, told: next.value });
    }
  } finally {
    // Does not wait for the fetcher to stop, because it may hang.
    void told.return({ unseen: 'keep', cursor: null }).catch(() => undefined);
  }
}

async function nextOf(
  told: AsyncGenerator<Fetched, FetchEnd, void>,
  signal: AbortSignal,
): Promise<IteratorResult<Fetched, FetchEnd>> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const next = told.next().catch((cause: unknown) => {
      throw new FetchFailed('the fetcher failed', { cause });
    });
    // Prevents an unhandled rejection if the abort settles the race first.
    next.catch(() => undefined);
    return await Promise.race([next, aborted.promise]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function take(
  deps: StageDeps,
  { lease, reading, told }: { lease: Lease; reading: Reading; told: Fetched },
): Promise<void> {
  const { progress, seen } = reading;
  if (told.kind === 'found') {
    progress.found = Math.max(progress.found, told.count);
    return;
  }
  const path = storable(told.path);
  if (seen.has(path)) return;
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    const reason = `the path of the document has more than ${PATH_BYTES_MAX} bytes`;
    noteProblem(reading, { path, kind: 'failed', reason });
    return;
  }
  seen.add(path);
  requireRoomFor({ documents: seen.size, chunks: 0 });
  progress.found = Math.max(progress.found, seen.size);
  await takePath(deps, { lease, reading, told: { ...told, path } });
}

async function takePath(
  deps: StageDeps,
  { lease, reading, told }: { lease: Lease; reading: Reading; told: Told },
): Promise<void> {
  const { path } = told;
  switch (told.kind) {
    case 'document':
      return takeDocument(deps, { lease, reading, told });
    case 'unchanged':
      if (reading.staged.has(path)) reading.progress.changed += 1;
      else if (reading.indexed.has(path)) reading.progress.unchanged += 1;
      else
        noteProblem(reading, {
          path,
          kind: 'failed',
          reason: 'the server reports the document as unchanged, but it is not indexed',
        });
      return undefined;
    case 'failed':
      noteProblem(reading, { path, kind: 'failed', reason: told.reason });
      return undefined;
    case 'skipped':
      if (reading.indexed.has(path)) reading.skipped.add(path);
      await unstage(deps, { lease, reading, path });
      noteProblem(reading, { path, kind: 'skipped', reason: told.reason });
      return undefined;
  }
}

async function takeDocument(
  deps: StageDeps,
  { lease, reading, told }: { lease: Lease; reading: Reading; told: FetchedDocument },
): Promise<void> {
  const { progress, indexed, staged } = reading;
  const document = {
    ...told,
    title: storable(told.title).slice(0, 500),
    text: storable(told.text),
    url: told.url === null ? null : storable(told.url),
  };
  const hash = documentHash(document);
  const before = indexed.get(document.path);
  if (before?.hash === hash) {
    await unstage(deps, { lease, reading, path: document.path });
    const { etag, lastModified } = told.validators;
    if (etag !== before.etag || lastModified !== before.lastModified) {
      reading.validators.set(before.id, { id: before.id, etag, lastModified });
    }
    progress.unchanged += 1;
    return;
  }
  if (staged.get(document.path)?.hash !== hash) {
    const isStaged = await stage(deps, { lease, reading, document, hash });
    if (!isStaged) return;
  }
  progress.changed += 1;
}

/**
 * Stages a document. Returns false if the document cannot be indexed. In that case, the version that is already indexed
 * stays.
 */
async function stage(
  deps: StageDeps,
  work: { lease: Lease; reading: Reading; document: FetchedDocument; hash: string },
): Promise<boolean> {
  const { lease, reading, document, hash } = work;
  const { path, text, title, url, language, validators } = document;
  if (Buffer.byteLength(text) > DOCUMENT_BYTES_MAX) {
    noteProblem(reading, {
      path,
      kind: 'failed',
      reason: 'the text of the document is larger than 20 MB',
    });
    return false;
  }
  let cut: CutContent;
  try {
    cut = await deps.cut({ path, title, text, language });
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    noteProblem(reading, { path, kind: 'failed', reason: error.message });
    return false;
  }
  await failpoint('sync.staging');
  const batchesId = newUuid();
  const isHeld = await deps.write(async () => {
    await writeBatches(deps, { lease, batchesId, batches: cut.batches });
    return stageDocument(deps.pool, lease, {
      path,
      batchesId,
      title: cut.title,
      hash: Buffer.from(hash, 'base64'),
      bytes: cut.bytes,
      chunks: cut.passages,
      language: cut.language,
      url,
      ...validators,
    });
  });
  if (!isHeld) throw new LeaseLost('the sync was canceled, or another process took it over');
  noteStaged(reading, path, { hash, ...validators, chunks: cut.passages });
  requireRoomFor({ documents: 0, chunks: reading.stagedChunks });
  await failpoint('sync.staged');
  return true;
}

/** Maximum number of batches in one statement. Together they take about a megabyte. */
const BATCHES_AT_ONCE = 4;

async function writeBatches(
  { pool }: StageDeps,
  work: { lease: Lease; batchesId: string; batches: readonly Batch[] },
): Promise<void> {
  const { lease, batchesId, batches } = work;
  for (let first = 0; first < batches.length; first += BATCHES_AT_ONCE) {
    const some = await Promise.all(batches.slice(first, first + BATCHES_AT_ONCE).map(readBatch));
    const isHeld = await stageBatches(pool, lease, { batchesId, first, batches: some });
    if (!isHeld) throw new LeaseLost('the sync was canceled, or another process took it over');
  }
}

async function unstage(
  { pool }: StageDeps,
  { lease, reading, path }: { lease: Lease; reading: Reading; path: string },
): Promise<void> {
  if (!reading.staged.has(path)) return;
  noteStaged(reading, path, undefined);
  if (!(await unstageDocument(pool, lease, path)))
    throw new LeaseLost('the sync was canceled, or another process took it over');
}
