import type { EventData } from '../../events/event-types.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import {
  countSameGap,
  countSimilarGap,
  fingerprintOf,
  insertGap,
  lockGaps,
} from './knowledge-gaps.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { searchableText, questionText } from '../passages/question-words.ts';

export type DetectGapInput = {
  namespace: string;
  /** uuid, as all ids here */
  agentId: string;
  conversationId: string;
  question: string;
  /** Of the best passage; 0: there was none. */
  topScore: number;
  /** Puts the event into the outbox, in the caller's transaction. */
  emit: (data: EventData<'knowledge.gap.detected'>) => Promise<void>;
};

/**
 * Notes a question that had no answer; called inside the transaction of the turn. A question makes
 * one gap and one event, however often, in whatever order of words and in however many
 * conversations it is asked: each further time is counted. After a gap is resolved the question
 * makes a new one.
 */
export async function detectGap(
  db: Db,
  input: DetectGapInput,
): Promise<{ gapId: string; isNew: boolean }> {
  const { namespace, agentId, conversationId, question, topScore } = input;
  const asked = question.slice(0, QUESTION_CHARS_MAX).toWellFormed();
  // A question of nothing but empty words is known by those, one without words by its characters.
  const words = questionText(question) || searchableText(asked);
  const fingerprint =
    (await fingerprintOf(db, words)) || asked.trim().toLowerCase().slice(0, 100).toWellFormed();
  const gap = { agentId, fingerprint };
  // A known one is only counted, without waiting for the lock of the comparison.
  const known = (await countSameGap(db, gap)) ?? (await findUnderLock(db, gap));
  if (known !== undefined) return { gapId: known, isNew: false };
  const id = newUuid();
  await insertGap(db, {
    id,
    namespace,
    agentId,
    conversationId,
    question: asked,
    topScore,
    fingerprint,
  });
  await input.emit({
    gap_id: fromUuid('gap', id),
    conversation_id: fromUuid('conv', conversationId),
    agent_id: fromUuid('agt', agentId),
    question: asked,
    top_score: topScore,
  });
  return { gapId: id, isNew: true };
}

/** From here on no one else adds a gap of this agent until the transaction ends. */
async function findUnderLock(
  db: Db,
  gap: { agentId: string; fingerprint: string },
): Promise<string | undefined> {
  await lockGaps(db, gap.agentId);
  return (await countSameGap(db, gap)) ?? countSimilarGap(db, gap);
}

/** A message may have 1 MB; a list of gaps needs only the question. */
const QUESTION_CHARS_MAX = 2_000;
