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
  /** Of the best passage there was; 0: there was none. */
  topScore: number;
  /** Puts the event into the outbox, in the caller's transaction. */
  emit: (data: EventData<'knowledge.gap.detected'>) => Promise<void>;
};

/**
 * Notes a question that had no answer; call it inside the transaction of the turn. One gap and
 * one event for a question, however often, in whichever words' order and in however many
 * conversations it is asked: each time more is counted. A resolved one that comes up is a new gap.
 */
export async function detectGap(
  db: Db,
  input: DetectGapInput,
): Promise<{ gapId: string; isNew: boolean }> {
  const { namespace, agentId, conversationId, question, topScore } = input;
  const asked = question.slice(0, QUESTION_CHARS_MAX).toWellFormed();
  // One of nothing but empty words is told apart by those, and one of no words by how it looks.
  const words = questionText(question) || searchableText(asked);
  const fingerprint =
    (await fingerprintOf(db, words)) || asked.trim().toLowerCase().slice(0, 100).toWellFormed();
  const gap = { agentId, fingerprint };
  // One that is known is only counted, without standing in line for the comparison.
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

/** From here on nobody else finds a gap of this agent until the transaction ends. */
async function findUnderLock(
  db: Db,
  gap: { agentId: string; fingerprint: string },
): Promise<string | undefined> {
  await lockGaps(db, gap.agentId);
  return (await countSameGap(db, gap)) ?? countSimilarGap(db, gap);
}

/** A message may have 1 MB; who reads a list of gaps wants the question. */
const QUESTION_CHARS_MAX = 2_000;
