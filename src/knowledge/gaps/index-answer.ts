import { newUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { deleteAnswer, insertChunks, lockAnswers } from '../passages/knowledge-chunks.sql.ts';
import { forgetWords, indexChunk, nextPosition } from '../passages/knowledge-postings.sql.ts';
import { askedWords, searchableText } from '../passages/question-words.ts';
import { listQuestions } from './gap-questions.sql.ts';
import { lastAnswerPosition, type LockedGap } from './knowledge-gaps.sql.ts';

/**
 * Indexes the answer to a gap (a question that the agent could not answer) as a passage, and replaces the previous
 * answer. Searches find the answer by its own words and by the words of the gap's questions. If a question was part of
 * a longer message, the rest of the message is not indexed. `null` removes the answer from the index. Returns the
 * position of the answer among the agent's answers. The caller stores this position with the gap.
 */
export async function indexAnswer(
  db: Db,
  { nowMs }: { nowMs: () => number },
  { gap, answer }: { gap: LockedGap; answer: string | null },
): Promise<number> {
  await lockAnswers(db, gap.agentId);
  const before = await deleteAnswer(db, gap.id);
  const position = before.position ?? gap.answerPosition ?? (await newPosition(db, gap.agentId));
  if (answer !== null) await insertAnswer(db, { gap, answer, position, id: newUuid(nowMs()) });
  if (before.lexemes.length > 0) await forgetWords(db, before.lexemes);
  return position;
}

/**
 * Indexes the same answer again, with the remaining questions of its gap. Returns the words of the previous index
 * entries. The caller must pass them to `forgetWords` at the end of the transaction.
 */
export async function reindexAnswer(
  db: Db,
  { gap, answer }: { gap: LockedGap; answer: string },
): Promise<readonly string[]> {
  await lockAnswers(db, gap.agentId);
  const { id, position, lexemes } = await deleteAnswer(db, gap.id);
  if (id === null || position === null) return [];
  await insertAnswer(db, { gap, answer, position, id });
  return lexemes;
}

async function insertAnswer(
  db: Db,
  { gap, answer, position, id }: { gap: LockedGap; answer: string; position: number; id: string },
): Promise<void> {
  const { id: gapId, namespace, agentId, question } = gap;
  const passage = {
    id,
    position,
    heading: question,
    text: answer,
    headingWords: await askedIn(db, gapId),
    textWords: searchableText(answer),
  };
  await insertChunks(db, { namespace, agentId, gapId }, [passage]);
  await indexChunk(db, agentId, position);
}

/** Returns the distinct words of all questions of a gap. */
async function askedIn(db: Db, gapId: string): Promise<string> {
  const questions = await listQuestions(db, gapId);
  const words = questions.flatMap(({ text }) => askedWords(text).question.split(' '));
  return [...new Set(words)].join(' ');
}

async function newPosition(db: Db, agentId: string): Promise<number> {
  const afterLast = (await lastAnswerPosition(db, agentId)) + 1;
  return Math.max(afterLast, await nextPosition(db, agentId));
}
