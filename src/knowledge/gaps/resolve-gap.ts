import { ApiError, found } from '../../errors.ts';
import { indexAnswer } from './index-answer.ts';
import { lockGap, resolveGapRow, setAnswer } from './knowledge-gaps.sql.ts';
import { detailOf, type GapDetail } from './read-gap.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

export type ResolveGapDeps = { pool: Pool; nowMs: () => number };

/**
 * Resolves a gap (a question that the agent could not answer). An answer becomes a passage of the gap's agent. The next
 * search finds it by its own words and by the words of all wordings of the question. If there is no answer, the
 * question opens a new gap when it is asked again.
 * @throws ApiError not_found, gap_resolved
 */
export function resolveGap(
  deps: ResolveGapDeps,
  input: { namespace: string; id: string; answer: string | null },
  beforeCommit: CommitHook<GapDetail> = noCommitHook,
): Promise<GapDetail> {
  return inTransaction(deps.pool, async (db) => {
    const gap = found(await lockGap(db, input), 'knowledge gap');
    if (gap.status === 'resolved') throw gapResolved();
    const { answer } = input;
    let resolved = await resolveGapRow(db, gap.id);
    if (answer !== null) {
      const position = await indexAnswer(db, deps, { gap, answer });
      resolved = await setAnswer(db, { id: gap.id, answer, position });
    }
    const detail = await detailOf(db, resolved);
    await beforeCommit(db, detail);
    return detail;
  });
}

function gapResolved(): ApiError {
  const detail =
    'The gap is already resolved. Send PATCH with a new `answer` to change the answer.';
  return new ApiError('gap_resolved', detail);
}
