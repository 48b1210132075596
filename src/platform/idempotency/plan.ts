import { randomBytes } from 'node:crypto';
import { newUuid } from '../../ids.ts';

/**
 * Identifies an idempotency record: the API key, and a hash of the method, the path and the value of the
 * `Idempotency-Key` header.
 */
export type MarkKey = { apiKeyId: string; hash: Buffer };

/**
 * Decisions made for a request that writes outside of our database transaction. For example, a declared object is in
 * the resource store and its idempotency record is in PostgreSQL, so one transaction cannot write both. The decisions
 * are stored in the record, so that a retry after a crash recreates the same resource instead of a second one.
 */
export type Plan = {
  /** UUIDv7 of the resource to create. If its name is generated, the name is derived from this id. */
  id: string;
  /** 32 random bytes from which the resource's secrets are derived. */
  seed: Buffer;
  /** True if an earlier attempt of the same request may have done all or part of the work. */
  isRetry: boolean;
  /** Key of the idempotency record, if the request has an `Idempotency-Key`. */
  mark?: MarkKey;
  /**
   * Returns the decision of the first attempt. If there is none, calls `choose` and stores its result before returning
   * it. The value is serialized as JSON.
   */
  decide: <T>(choose: () => Promise<T>) => Promise<T>;
};

/**
 * Creates the plan for a request without an `Idempotency-Key`. The plan is not stored, because a repeated request
 * without a key counts as a new request.
 */
export function freshPlan(nowMs: number): Plan {
  let seed: Buffer | undefined;
  return {
    id: newUuid(nowMs),
    // Generated on first use, because most requests need no seed.
    get seed() {
      return (seed ??= randomBytes(SEED_BYTES));
    },
    isRetry: false,
    decide: (choose) => choose(),
  };
}

export const SEED_BYTES = 32;
