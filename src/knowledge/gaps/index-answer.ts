import { newUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import {
  deleteAnswer,
  forgetWords,
  indexChunk,
  insertChunks,
  lockAnswers,
  nextPosition,
} from '../passages/knowledge-chunks.sql.ts';
import { askedWords, searchableText } from '../passages/question-words.ts';
import { lastAnswerPosition, type LockedGap } from './knowledge-gaps.sql.ts';

/**
 * Makes `answer` the passage of a gap, in the place of the one before: it is found by its own words and
 * by those of the question, without the story around that. null: none is found any more. Returns its
 * position among the answers of the agent, which stays the gap's own.
 */
export async function indexAnswer(
  db: Db,
  { nowMs }: { nowMs: () => number },
  { gap, answer }: { gap: LockedGap; answer: string | null },
): Promise<number> {
  const { id: gapId, namespace, agentId, question } = gap;
  await lockAnswers(db, agentId);
  const before = await deleteAnswer(db, gapId);
  const position = before.position ?? gap.answerPosition ?? (await newPosition(db, agentId));
  if (answer !== null) {
    const passage = {
      id: newUuid(nowMs()),
      position,
      heading: question,
      text: answer,
      headingWords: gap.isErased ? '' : askedWords(question).question,
      textWords: searchableText(answer),
    };
    await insertChunks(db, { namespace, agentId, gapId }, [passage]);
    await indexChunk(db, agentId, position);
  }
  if (before.lexemes.length > 0) await forgetWords(db, before.lexemes);
  return position;
}

async function newPosition(db: Db, agentId: string): Promise<number> {
  const afterLast = (await lastAnswerPosition(db, agentId)) + 1;
  return Math.max(afterLast, await nextPosition(db, agentId));
}
