import { createHash } from 'node:crypto';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Fetched, FetchEnd, Validators } from '../sources/fetching.ts';
import type { SyncProblem } from '../sources/knowledge-syncs.sql.ts';
import type { Progress } from './claims.sql.ts';
import { listStaged } from './staged-documents.sql.ts';
import { listKnown, type KnownDocument, type NewValidators } from './synced-documents.sql.ts';

/** State of a sync while it reads the documents of its source. */
export type Reading = {
  /** Documents that are already indexed, by path. */
  indexed: ReadonlyMap<string, KnownDocument>;
  /** Changed documents by path. Includes those that another process staged before this process took the sync over. */
  staged: Map<string, StagedNote>;
  /** Number of passages of the staged documents. */
  stagedChunks: number;
  /** Paths that the fetcher has reported so far. */
  seen: Set<string>;
  /** Paths of indexed documents that the fetcher skipped and that will be removed. */
  skipped: Set<string>;
  /** Changed validators of indexed documents, by document id. */
  validators: Map<string, NewValidators>;
  progress: Progress & { problems: SyncProblem[] };
  end: FetchEnd | undefined;
};

export type StagedNote = Validators & { hash: string; chunks: number };

const PAGE = 5_000;
const PROBLEMS_MAX = 100;
const REASON_CHARS_MAX = 500;

/** Loads the state of a sync. `progress` is shared with the caller, which stores it with the sync. */
export async function beginReading(
  pool: Pool,
  { id, sourceId, progress }: { id: string; sourceId: string; progress: Reading['progress'] },
): Promise<Reading> {
  const indexed = new Map<string, KnownDocument>();
  let after: string | null = null;
  for (let page: KnownDocument[] = []; ;) {
    page = await listKnown(pool, { sourceId, after, limit: PAGE });
    for (const one of page) indexed.set(one.path, one);
    if (page.length < PAGE) break;
    after = page.at(-1)!.id;
  }
  const staged = new Map<string, StagedNote>();
  let stagedChunks = 0;
  for (let last: string | null = null; ;) {
    const page = await listStaged(pool, { id, after: last, limit: PAGE });
    for (const { path, hash, etag, lastModified, chunks } of page) {
      staged.set(path, { hash: hash.toString('base64'), etag, lastModified, chunks });
      stagedChunks += chunks;
    }
    if (page.length < PAGE) break;
    last = page.at(-1)!.path;
  }
  const seen = new Set<string>();
  const skipped = new Set<string>();
  const validators = new Map<string, NewValidators>();
  return {
    indexed,
    staged,
    stagedChunks,
    seen,
    skipped,
    validators,
    progress,
    end: undefined,
  };
}

/** Records the staged version of a path. `undefined` removes the record. */
export function noteStaged(reading: Reading, path: string, note: StagedNote | undefined): void {
  reading.stagedChunks += (note?.chunks ?? 0) - (reading.staged.get(path)?.chunks ?? 0);
  if (note) reading.staged.set(path, note);
  else reading.staged.delete(path);
}

/** Returns the validators for a conditional request, with which a fetcher can check whether a document has changed. */
export function validatorsOf({ indexed, staged }: Reading, path: string): Validators | undefined {
  const known = staged.get(path) ?? indexed.get(path);
  return known && { etag: known.etag, lastModified: known.lastModified };
}

/**
 * Returns a base64 hash of all fields of a document that users can see. A different hash means that the document has
 * changed.
 */
export function documentHash(document: Extract<Fetched, { kind: 'document' }>): string {
  const { path, title, url, language, text } = document;
  const shown = JSON.stringify([path, title, url, language]);
  return createHash('sha256').update(`${shown}\0`).update(text).digest('base64');
}

export function noteProblem({ progress }: Reading, problem: SyncProblem): void {
  progress[problem.kind] += 1;
  if (progress.problems.length >= PROBLEMS_MAX) return;
  const { path, kind, reason } = problem;
  progress.problems.push({
    path: storable(path).slice(0, REASON_CHARS_MAX),
    kind,
    reason: storable(reason).slice(0, REASON_CHARS_MAX),
  });
}

/** Returns text that PostgreSQL can store: without U+0000 and with unpaired surrogates replaced. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
