import { failpoint } from '../../failpoints.ts';
import { newUuid } from '../../ids.ts';
import { EmbeddingFailure } from '../../models/embeddings/embedder.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { vectorsOf, type EmbedTexts } from './embed-batch.ts';
import {
  finishEmbeddings,
  putOffEmbeddings,
  releaseLease,
  renewLease,
  restartEmbeddings,
  takeLease,
  type EmbeddingsRow,
  type Lease,
} from './knowledge-embeddings.sql.ts';
import {
  deleteOrphans,
  insertVectors,
  listWithoutVector,
  type PassageToEmbed,
} from './knowledge-vectors.sql.ts';
import { SCALE_BYTES } from './vector-bytes.ts';

export type EmbedOwnerDeps = {
  pool: Pool;
  embed: EmbedTexts;
  batchSize: number;
  signal: AbortSignal;
  /** Monotonic clock. */
  nowMs: () => number;
  /** Called after each stored batch. */
  onProgress: () => void;
};

/**
 * Result of one turn of work on an owner of passages. `done`: all passages are embedded. `more`: the time for the turn
 * ended, but passages are left. `lost`: another process has taken the lease.
 */
export type EmbedOutcome = 'done' | 'more' | 'lost' | EmbeddingFailure;

/** Duration of a lease in ms. It is longer than the longest request and the statements after it. */
const LEASE_MS = 90_000;
/** Maximum time in ms that one turn of work spends on an owner. */
const TURN_MS = 30_000;
/** Maximum number of characters in a batch, so that no request becomes too large. */
const BATCH_CHARS = 60_000;
/** Maximum pause in ms between attempts, unless the provider requests a longer one. */
const WAIT_MS_MAX = 300_000;
const RETRY_AFTER_MS_MAX = 3_600_000;

/**
 * Embeds the passages of an owner batch by batch. Each batch is stored immediately, so that it survives the end of the
 * process. Until a passage is embedded, searches find it by its words.
 */
export async function embedOwner(
  deps: EmbedOwnerDeps,
  { row, mark }: { row: EmbeddingsRow; mark: string },
): Promise<EmbedOutcome> {
  const { pool } = deps;
  const lease = { id: row.id, token: newUuid() };
  const taken = await takeLease(pool, lease, LEASE_MS);
  if (!taken) return 'lost';
  try {
    const outcome = await embedBatches(deps, { row, lease, size: taken.size });
    if (outcome === 'done') await finish(pool, lease, mark);
    else await releaseLease(pool, lease);
    return outcome;
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) {
      await releaseLease(pool, lease).catch(() => undefined);
      throw error;
    }
    const waitMs = Math.min(RETRY_AFTER_MS_MAX, error.failure.retryAfterMs ?? 0);
    await putOffEmbeddings(pool, lease, { problem: error.message, waitMs, maxMs: WAIT_MS_MAX });
    return error;
  }
}

async function embedBatches(
  deps: EmbedOwnerDeps,
  { row, lease, size }: { row: EmbeddingsRow; lease: Lease; size: number | null },
): Promise<'done' | 'more' | 'lost'> {
  const { pool, batchSize, signal, nowMs } = deps;
  const { id: embeddingsId, ownerId } = row;
  const endMs = nowMs() + TURN_MS;
  for (let after = -1; ;) {
    signal.throwIfAborted();
    const page = { embeddingsId, ownerId, after, limit: batchSize };
    const passages = upToChars(await listWithoutVector(pool, page));
    if (passages.length === 0) return 'done';
    if (nowMs() > endMs) return 'more';
    after = passages.at(-1)!.position;
    const vectors = await vectorsOf({ ...deps, db: pool }, embeddingsId, passages);
    await failpoint('embeddings.storing');
    const sizes = vectors.map(({ vector }) => vector.length - SCALE_BYTES);
    const [made] = sizes;
    if (made === undefined) continue;
    size ??= made;
    // `size` is the number of dimensions of the vectors that are already stored, if there are any. A different number
    // shows that the model has changed.
    const another = sizes.find((one) => one !== size);
    if (another !== undefined) throw await anotherSize(pool, { row, lease, size, made: another });
    const isStored = await inTransaction(pool, async (db) => {
      if (!(await renewLease(db, lease, LEASE_MS))) return false;
      await insertVectors(db, { embeddingsId, size: made, vectors });
      return true;
    });
    if (!isStored) return 'lost';
    deps.onProgress();
  }
}

/**
 * Discards all vectors of an owner. A different number of dimensions has shown that the model name now stands for a
 * different model. Questions are embedded with that model too, and their vectors are not comparable with the old ones.
 */
async function anotherSize(
  pool: Pool,
  { row, lease, size, made }: { row: EmbeddingsRow; lease: Lease; size: number; made: number },
): Promise<EmbeddingFailure> {
  await inTransaction(pool, (db) => restartEmbeddings(db, lease));
  const message = `The provider "${row.provider}" now returns vectors with ${made} dimensions for the model "${row.model}" instead of ${size}: all passages are being embedded again.`;
  return new EmbeddingFailure({
    code: 'model_invalid_answer',
    message,
    mayRetry: true,
    retryAfterMs: undefined,
  });
}

async function finish(pool: Pool, lease: Lease, mark: string): Promise<void> {
  await inTransaction(pool, async (db) => {
    if (!(await renewLease(db, lease, LEASE_MS))) return;
    await finishEmbeddings(db, lease, { mark, removed: await deleteOrphans(db, lease.id) });
  });
}

function upToChars(passages: PassageToEmbed[]): PassageToEmbed[] {
  let chars = 0;
  const end = passages.findIndex(({ heading, text }) => {
    chars += heading.length + text.length;
    return chars > BATCH_CHARS;
  });
  return end < 0 ? passages : passages.slice(0, Math.max(1, end));
}
