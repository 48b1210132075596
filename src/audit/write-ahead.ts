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
 * The line of an act that no transaction of ours reaches: a declared thing lives in the resource
 * store (docs/decisions/0028). It is committed before the write, as begun, and settled after it; of
 * a crash in between stays a line whose outcome is `unknown`. So there is no act without a line.
 */
export type WriteAhead = {
  /**
   * Before the write, of the very state that is written over. Again when the write is decided anew;
   * what an earlier try of the same request noted stays, since it saw what was there before.
   */
  begin: (change: Partial<Change>) => Promise<void>;
  /** Some of it is done: a refusal from now on leaves the line as it is. */
  isPartlyDone: () => void;
};

/**
 * What is known once it is done; `after` is added to what the line says, null: it is gone. Undefined:
 * there was nothing to do.
 */
export type Settled = { after: Fields | null; detail?: Fields };

/**
 * @param line.id uuid of the line: that of the request's plan, so that a retry after a crash goes
 *   on with the line of the first try
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

/** Nothing was done. After any other failure nobody knows. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}
