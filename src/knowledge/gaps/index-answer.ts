import { newUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { deleteAnswer, insertChunks, lockAnswers } from '../passages/knowledge-chunks.sql.ts';
import { forgetWords, indexChunk, nextPosition } from '../passages/knowledge-postings.sql.ts';
import { askedWords, searchableText } from '../passages/question-words.ts';
import { listQuestions } from './gap-questions.sql.ts';
import { lastAnswerPosition, type LockedGap } from './knowledge-gaps.sql.ts';

/**
 * Makes `answer` the passage of a gap, in the place of the one before: it is found by its own words and
 * by those that the gap was asked in, without the story around them. null: none is found any more. Returns
 * its position among the answers of the agent, which stays the gap's own.
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
 * The same answer by the questions that are left of its gap. Returns the words that it had, for `forgetWords`
 * at the end of the transaction.
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

/** The words of all its questions, each once. */
async function askedIn(db: Db, gapId: string): Promise<string> {
  const questions = await listQuestions(db, gapId);
  const words = questions.flatMap(({ text }) => askedWords(text).question.split(' '));
  return [...new Set(words)].join(' ');
}

async function newPosition(db: Db, agentId: string): Promise<number> {
  const afterLast = (await lastAnswerPosition(db, agentId)) + 1;
  return Math.max(afterLast, await nextPosition(db, agentId));
}
