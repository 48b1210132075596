import { ApiError, found } from '../../errors.ts';
import { newUuid } from '../../ids.ts';
import { indexChunk, insertChunks, lockAnswers } from '../passages/knowledge-chunks.sql.ts';
import { lockGap, resolveGapRow, type GapRow } from './knowledge-gaps.sql.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { searchableText } from '../passages/question-words.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

export type ResolveGapDeps = { pool: Pool; nowMs: () => number };

/**
 * Closes a gap. Its answer becomes a passage of that agent, found from the next search on by the
 * words of the question and of the answer. Without an answer the question opens a new gap when it
 * comes up again.
 * @throws ApiError not_found, gap_resolved
 */
export function resolveGap(
  deps: ResolveGapDeps,
  input: { namespace: string; id: string; answer: string | null },
  beforeCommit: CommitHook<GapRow> = noCommitHook,
): Promise<GapRow> {
  return inTransaction(deps.pool, async (db) => {
    const gap = found(await lockGap(db, input), 'knowledge gap');
    if (gap.status === 'resolved') {
      throw new ApiError('gap_resolved', 'somebody has resolved it already');
    }
    const { answer } = input;
    const resolved = await resolveGapRow(db, { id: gap.id, answer });
    if (answer !== null) await addAnswer(db, deps, { gap, answer });
    await beforeCommit(db, resolved);
    return resolved;
  });
}

async function addAnswer(
  db: Db,
  { nowMs }: ResolveGapDeps,
  { gap, answer }: { gap: GapRow; answer: string },
): Promise<void> {
  const { id: gapId, namespace, agentId, question } = gap;
  const position = await lockAnswers(db, agentId);
  const passage = {
    id: newUuid(nowMs()),
    position,
    heading: question,
    text: answer,
    headingWords: searchableText(question),
    textWords: searchableText(answer),
  };
  await insertChunks(db, { namespace, agentId, gapId }, [passage]);
  await indexChunk(db, agentId, position);
}
