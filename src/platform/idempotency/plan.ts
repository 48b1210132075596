import { randomBytes } from 'node:crypto';
import { newUuid } from '../../ids.ts';

/** Whose mark it is, and for which request. `hash` is of method, path and the header's value. */
export type MarkKey = { apiKeyId: string; hash: Buffer };

/**
 * What a request decides before it writes where no transaction of ours reaches (a declared
 * thing lives in the resource store, its `Idempotency-Key` in PostgreSQL). Kept with the key's
 * mark, so that a retry after a crash makes the very same thing again instead of a second one.
 */
export type Plan = {
  /** A UUIDv7: the id of what is made. Names are derived from it too. */
  id: string;
  /** 32 random bytes, for what is secret about it. */
  seed: Buffer;
  /** An earlier request may have done all of this, or some. */
  isRetry: boolean;
  /** Of its `Idempotency-Key`; absent: it has none. */
  mark?: MarkKey;
  /**
   * What was decided when this was first tried; else what `choose` decides, kept before it
   * returns. The value passes through JSON.
   */
  decide: <T>(choose: () => Promise<T>) => Promise<T>;
};

/** Of a request without an `Idempotency-Key`: nobody will ask for it again. */
export function freshPlan(nowMs: number): Plan {
  let seed: Buffer | undefined;
  return {
    id: newUuid(nowMs),
    // On demand: most requests need none.
    get seed() {
      return (seed ??= randomBytes(SEED_BYTES));
    },
    isRetry: false,
    decide: (choose) => choose(),
  };
}

export const SEED_BYTES = 32;
