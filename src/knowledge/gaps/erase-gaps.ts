import type { Db } from '../../platform/postgres/pool.ts';
import { forgetWords } from '../passages/knowledge-postings.sql.ts';
import { reindexAnswer } from './index-answer.ts';
import { eraseQuestionsOf, lockGapsAskedIn, nameAfterErasure } from './knowledge-gaps.sql.ts';

/**
 * Erases the questions that a conversation added to gaps (questions that agents could not answer). A gap that was named
 * after an erased question is renamed to a wording from another conversation, or to `erased` if none exists. Answers
 * stay. From then on, searches find an answer by its own words and by those of the gap's remaining questions.
 */
export async function eraseGapsOf(db: Db, conversationId: string, erased: string): Promise<void> {
  const gaps = await lockGapsAskedIn(db, conversationId);
  await eraseQuestionsOf(db, conversationId);
  const forgotten: string[] = [];
  for (const gap of gaps) {
    const isItsName = gap.conversationId === conversationId;
    const question = isItsName ? await nameAfterErasure(db, gap.id, erased) : gap.question;
    const { answer } = gap;
    if (answer !== null) {
      forgotten.push(...(await reindexAnswer(db, { gap: { ...gap, question }, answer })));
    }
  }
  if (forgotten.length > 0) await forgetWords(db, forgotten);
}
