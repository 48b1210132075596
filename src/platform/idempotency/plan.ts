import { randomBytes } from 'node:crypto';
import { newUuid } from '../../ids.ts';

/** Identity of a mark: its API key, and the hash of method, path and the header's value. */
export type MarkKey = { apiKeyId: string; hash: Buffer };

/**
 * Decisions of a request that writes outside of our transaction (a declared object lives in the resource store, its
 * `Idempotency-Key` in PostgreSQL). They are stored with the key's mark, so that a retry after a crash creates the same
 * resource again instead of a second one.
 */
export type Plan = {
  /** UUIDv7 of the created resource. Names are derived from it too. */
  id: string;
  /** 32 random bytes, from which secrets of the resource are derived. */
  seed: Buffer;
  /** True if an earlier request may have done all or part of the work. */
  isRetry: boolean;
  /** Mark of the request's `Idempotency-Key`, if it has one. */
  mark?: MarkKey;
  /**
   * Returns the decision of the first attempt, otherwise the result of `choose`, which is stored before it is returned.
   * The value is serialized as JSON.
   */
  decide: <T>(choose: () => Promise<T>) => Promise<T>;
};

/** Creates the plan of a request without an `Idempotency-Key`, which nobody will repeat. */
export function freshPlan(nowMs: number): Plan {
  let seed: Buffer | undefined;
  return {
    id: newUuid(nowMs),
    // Created on demand, because most requests need no seed.
    get seed() {
      return (seed ??= randomBytes(SEED_BYTES));
    },
    isRetry: false,
    decide: (choose) => choose(),
  };
}

export const SEED_BYTES = 32;
