import { ApiError } from '../errors.ts';
import { failpoint } from '../failpoints.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import {
  dropLine,
  insertLine,
  rewriteLine,
  settleLine,
  type AuditedBy,
  type AuditLine,
  type Change,
  type Fields,
} from './audit-log.sql.ts';

/**
 * Audit log line for an action outside our database transactions: a write to a declared resource, which is stored in
 * the resource store (docs/decisions/0028). Before the write, the line is committed with the outcome `unknown`. After
 * the write, the outcome is updated. Every action therefore has a line. After a crash in between, the outcome stays
 * `unknown` until the request is retried.
 */
export type WriteAhead = {
  /**
   * Records the change before the write, based on the exact state that the write replaces. Called again if a conflict
   * forces a retry of the write on a newer state. If an earlier attempt of the same request inserted the line before a
   * crash, the line stays unchanged, because that attempt saw the original state.
   */
  begin: (change: Partial<Change>) => Promise<void>;
  /** Marks the action as partly done, so that an error that rejects the rest of the action does not remove the line. */
  isPartlyDone: () => void;
};

/**
 * Result of a finished action. The fields of `after` are added to the line; null means that the object no longer
 * exists.
 */
export type Settled = { after: Fields | null; detail?: Fields };

/**
 * Runs a write with its audit log line. If `settled` returns undefined, the write had no effect and the line is
 * removed.
 * @param line.id UUID of the line. A creation takes it from the request's `Plan` (platform/idempotency/plan.ts), so
 * that a retry after a crash completes the line of the first attempt
 */
export async function writingAhead<R>(
  line: { pool: Pool; by: AuditedBy; id: string } & Pick<AuditLine, 'action' | 'target'>,
  write: (ahead: WriteAhead) => Promise<R>,
  settled: (result: R) => Settled | undefined,
): Promise<R> {
  const { pool, by, id, action, target } = line;
  let state = 'none' as 'none' | 'ours' | 'of an earlier try';
  let isPartlyDone = false;
  const begin: WriteAhead['begin'] = async (part) => {
    const change: Change = { before: null, after: null, detail: {}, ...part };
    if (state === 'ours') await rewriteLine(pool, id, change);
    if (state !== 'none') return;
    const about = { action, target, ...change };
    const isNew = await insertLine(pool, { id, by, line: about, outcome: 'unknown' });
    state = isNew ? 'ours' : 'of an earlier try';
  };
  try {
    const result = await write({ begin, isPartlyDone: () => void (isPartlyDone = true) });
    await failpoint('audit.settling');
    const known = settled(result);
    if (known) await settleLine(pool, id, { after: known.after, detail: known.detail ?? {} });
    else await dropLine(pool, id);
    return result;
  } catch (error) {
    if (state === 'ours' && !isPartlyDone && isRefusal(error)) await dropLine(pool, id);
    throw error;
  }
}

/** Returns true if the error shows that nothing was done. After any other error the outcome is unknown. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}
