import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import { newUuid, toUuid } from '../../ids.ts';
import { failpoint } from '../../failpoints.ts';
import {
  abandonMark,
  deleteOldMarks,
  hasOldMark,
  finishMark,
  insertMark,
  readMark,
  markPlace,
  renewMark,
  replaceMark,
  takeMark,
  writeDecision,
  type ClaimedMark,
  type MarkRow,
} from './idempotency-marks.sql.ts';
import type { Db, Pool } from '../postgres/pool.ts';
import type { Sealer } from '../postgres/sealing.ts';
import { SEED_BYTES, type MarkKey, type Plan } from './plan.ts';

/**
 * This module handles requests with an `Idempotency-Key` (contract/idempotency.md#keys). Before any work is done, an
 * idempotency record (called a mark in this code) is inserted to show that the request is in progress. The transaction
 * that makes the requested change also stores the response in the record. A crash before its commit therefore leaves an
 * unfinished record and no change. The next request with the same key takes over the record after 60 s. If the client
 * got an error for which a retry may help, the next request takes it over immediately. The previous owner can then
 * neither finish the record nor commit its transaction.
 */

/**
 * Everything that is needed to send the response again. It is stored encrypted ("sealed"), because it may contain a
 * secret.
 */
export type KeptAnswer = {
  status: number;
  headers: Record<string, string>;
  /** Undefined if the response has no body. */
  body?: unknown;
  requestId: string;
};

export type MarkedRequest = {
  apiKeyId: string;
  method: string;
  path: string;
  /** Value of the `Idempotency-Key` header. */
  key: string;
  /** The query and the body of the request. A repeated request must match them byte for byte. */
  content: readonly (string | Buffer)[];
};

/** Idempotency record of a request that this process has begun and that no other process handles. */
export type Mark = {
  plan: Plan;
  /**
   * Stores the response.
   * @throws ApiError idempotency_in_progress if another request has taken over the record; the caller must then not
   * commit
   */
  keep: (db: Db, answer: KeptAnswer) => Promise<void>;
  /**
   * Keeps a repeated request from taking over the record. Must be called at least every 60 s while the request is in
   * progress.
   */
  renew: () => Promise<void>;
  /** Releases the record without a response, so that a repeated request may run immediately. */
  abandon: () => Promise<void>;
};

export type Idempotency = {
  pool: Pool;
  /**
   * Begins a request, or returns the stored response to an earlier one.
   * @throws ApiError idempotency_key_reused, idempotency_in_progress, not_found
   */
  begin: (request: MarkedRequest) => Promise<{ kept: KeptAnswer } | { mark: Mark }>;
};

export type IdempotencyDeps = { pool: Pool; sealer: Sealer; nowMs: () => number };
type Sealed = { hash: string; seed: string };

/**
 * Maximum number of attempts to insert or take over the record of a request. An attempt fails only if another request
 * changed the record first.
 */
const TRIES = 5;

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  return {
    pool: deps.pool,
    begin: async (request) => {
      const key: MarkKey = { apiKeyId: request.apiKeyId, hash: placeHash(request) };
      const hash = contentHash(request);
      for (let left = TRIES; left > 0; left -= 1) {
        const begun = await tryToBegin(deps, key, hash);
        if (!begun) continue;
        if ('mark' in begun) await failpoint('idempotency.marked');
        return begun;
      }
      throw inProgress();
    },
  };
}

/** Deletes records older than 24 hours. Returns true if there may be more. */
export async function forgetOldMarks({ pool }: { pool: Pool }): Promise<boolean> {
  return (await hasOldMark(pool)) && (await deleteOldMarks(pool, BATCH)) === BATCH;
}

const BATCH = 1_000;

async function tryToBegin(
  deps: IdempotencyDeps,
  key: MarkKey,
  hash: string,
): Promise<{ kept: KeptAnswer } | { mark: Mark } | undefined> {
  const { pool, sealer } = deps;
  const place = markPlace(key);
  const token = randomUUID();
  const seed = randomBytes(SEED_BYTES);
  const fresh = {
    ...key,
    token,
    request: sealer.seal(JSON.stringify({ hash, seed: seed.toString('base64') }), place),
    plannedId: newUuid(deps.nowMs()),
  };
  const ours = (): { mark: Mark } => {
    const plan = { id: fresh.plannedId, seed, decision: null, isRetry: false };
    return { mark: claimedMark(deps, { ...key, token }, plan) };
  };
  if (await insertMark(pool, fresh)) return ours();
  const there = await readMark(pool, key);
  if (!there) return undefined;
  if (there.state === 'expired') {
    return (await replaceMark(pool, fresh, there.token)) ? ours() : undefined;
  }
  // The cast is safe, because only a value that we encrypted can be decrypted.
  const known = JSON.parse(sealer.open(there.request, place)) as Sealed;
  if (known.hash !== hash) throw reused();
  if (there.answer?.length === 0) {
    throw new ApiError('not_found', 'The stored response to this request was erased.');
  }
  if (there.answer) return { kept: JSON.parse(sealer.open(there.answer, place)) as KeptAnswer };
  if (there.state === 'running') throw inProgress();
  if (!(await takeMark(pool, key, { from: there.token, to: token }))) return undefined;
  const plan = { ...planOf(there, known), isRetry: true };
  return { mark: claimedMark(deps, { ...key, token }, plan) };
}

type StoredPlan = Pick<Plan, 'id' | 'seed' | 'isRetry'> & Pick<MarkRow, 'decision'>;

function planOf({ plannedId, decision }: MarkRow, { seed }: Sealed): Omit<StoredPlan, 'isRetry'> {
  return { id: plannedId, seed: Buffer.from(seed, 'base64'), decision };
}

function claimedMark(deps: IdempotencyDeps, claimed: ClaimedMark, stored: StoredPlan): Mark {
  const { pool, sealer } = deps;
  const place = markPlace(claimed);
  const { decision, ...plan } = stored;
  return {
    plan: {
      ...plan,
      mark: { apiKeyId: claimed.apiKeyId, hash: claimed.hash },
      decide: async <T>(choose: () => Promise<T>) => {
        // The cast is safe, because an earlier attempt of this request stored the result of the same `choose`.
        if (decision) return JSON.parse(sealer.open(decision, place)) as T;
        const chosen = await choose();
        const text = sealer.seal(JSON.stringify(chosen), place);
        if (!(await writeDecision(pool, claimed, text))) throw inProgress();
        return chosen;
      },
    },
    keep: async (db, answer) => {
      const text = JSON.stringify(answer);
      const kept = { answer: sealer.seal(text, place), conversationIds: erasableIn(text) };
      if (!(await finishMark(db, claimed, kept))) throw inProgress();
    },
    renew: () => renewMark(pool, claimed),
    abandon: () => abandonMark(pool, claimed),
  };
}

/**
 * Returns the ids of the conversations and calls in a response. Every response with messages of a conversation, or with
 * phone numbers of a call, also contains the id of that conversation or call. These ids are stored with the response,
 * so that erasing a conversation or call also erases the response.
 */
function erasableIn(text: string): string[] {
  const ids = new Set(text.match(/\b(?:conv|call)_[0-9a-z]{26}\b/g));
  return [...ids].flatMap((id) => toUuid('conv', id) ?? toUuid('call', id) ?? []);
}

function placeHash({ method, path, key }: MarkedRequest): Buffer {
  // The separator is unambiguous, because neither a method nor a path contains a line break.
  return createHash('sha256').update(`${method}\n${path}\n${key}`).digest();
}

function contentHash({ content }: MarkedRequest): string {
  const hash = createHash('sha256');
  for (const part of content) {
    // The length prefix ensures that different parts never result in the same concatenation.
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return hash.digest('base64');
}

function inProgress(): ApiError {
  const detail =
    'The first request with this Idempotency-Key is still in progress. Retry in 1 second.';
  return new ApiError('idempotency_in_progress', detail, { retryAfterSec: 1 });
}

function reused(): ApiError {
  const detail = 'This Idempotency-Key was used for a different request. Use a new key.';
  return new ApiError('idempotency_key_reused', detail);
}
