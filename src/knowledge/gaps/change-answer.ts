import { ApiError, found } from '../../errors.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { indexAnswer } from './index-answer.ts';
import { lockGap, lockGaps, reopenGap, setAnswer, type GapRow } from './knowledge-gaps.sql.ts';
import type { LockedGap } from './knowledge-gaps.sql.ts';
import { detailOf, type GapDetail } from './read-gap.ts';
import type { ResolveGapDeps } from './resolve-gap.ts';

type GapKey = { namespace: string; id: string };

/**
 * Changes the answer to a resolved gap (a question that the agent could not answer), or adds its first answer. `null`
 * withdraws the answer, and `undefined` leaves it unchanged. The next search finds the new answer instead of the old
 * one.
 * @throws ApiError not_found, gap_open
 */
export function changeAnswer(
  deps: ResolveGapDeps,
  input: GapKey & { answer: string | null | undefined },
  beforeCommit: CommitHook<GapDetail> = noCommitHook,
): Promise<GapDetail> {
  const { answer } = input;
  return inTransaction(deps.pool, async (db) => {
    const gap = found(await lockGap(db, input), 'knowledge gap');
    if (answer === undefined || answer === gap.answer) return detailOf(db, gap);
    if (answer !== null && gap.status === 'open') throw gapOpen();
    const changed =
      answer === null
        ? await withdraw(db, deps, gap)
        : await setAnswer(db, {
            id: gap.id,
            answer,
            position: await indexAnswer(db, deps, { gap, answer }),
          });
    const detail = await detailOf(db, changed);
    await beforeCommit(db, detail);
    return detail;
  });
}

/**
 * Withdraws an answer, so that searches no longer find it. Reopens the gap, unless another gap is open for the same
 * question.
 * @throws ApiError not_found, also if the gap has no answer
 */
export function withdrawAnswer(
  deps: ResolveGapDeps,
  key: GapKey,
  beforeCommit: CommitHook<GapRow> = noCommitHook,
): Promise<GapRow> {
  return inTransaction(deps.pool, async (db) => {
    const gap = found(await lockGap(db, key), 'knowledge gap');
    if (gap.answer === null) throw new ApiError('not_found', 'The gap has no answer to withdraw.');
    const withdrawn = await withdraw(db, deps, gap);
    await beforeCommit(db, withdrawn);
    return withdrawn;
  });
}

async function withdraw(db: Db, deps: ResolveGapDeps, gap: LockedGap): Promise<GapRow> {
  // Until this transaction ends, no other transaction can record the same question as a new gap.
  await lockGaps(db, gap.agentId);
  const position = await indexAnswer(db, deps, { gap, answer: null });
  return reopenGap(db, { id: gap.id, position });
}

function gapOpen(): ApiError {
  const detail =
    'The gap is open and has no answer to change. Resolve it first: POST …/resolve {"answer": "…"}.';
  return new ApiError('gap_open', detail);
}
