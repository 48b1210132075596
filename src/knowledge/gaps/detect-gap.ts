import type { EventData } from '../../events/event-types.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { askedWords, isNoise, searchableText } from '../passages/question-words.ts';
import type { SearchScope } from '../passages/knowledge-search.sql.ts';
import { hitIds, type KnowledgeHit } from '../passages/search-passages.ts';
import { findSameGap } from './find-same-gap.ts';
import { noteQuestion } from './gap-questions.sql.ts';
import {
  countGap,
  countSameGap,
  fingerprintOf,
  insertGap,
  lockGaps,
  type ClosePassage,
  type CountedGap,
} from './knowledge-gaps.sql.ts';

export type DetectGapInput = {
  namespace: string;
  /** Id of the agent. All ids in this module are UUIDs. */
  agentId: string;
  conversationId: string;
  question: string;
  /** Score of the best passage; 0 if no passage was found. */
  topScore: number;
  /** Passages that the search found, best first. */
  closest: readonly KnowledgeHit[];
  /** Returns the content that the agent can search. Word rarity is measured in this content. */
  scope: () => Promise<SearchScope>;
  /** Writes the event to the outbox, in the caller's transaction. */
  emit: (data: EventData<'knowledge.gap.detected'>) => Promise<void>;
};

/**
 * Records a question that the agent could not answer, in the transaction of the conversation turn. A question creates
 * only one gap and one event, no matter how often, in which wordings and in how many conversations it is asked. Each
 * repetition increments the gap's count, unless the question was last asked in the same conversation. If the question
 * is asked again after the gap is resolved, it creates a new gap.
 */
export async function detectGap(
  db: Db,
  input: DetectGapInput,
): Promise<{ gapId: string; isNew: boolean }> {
  const asked = await readQuestion(db, input);
  // Searches for exactly the same question first, because that needs no lock. The comparison with similar questions
  // needs a lock.
  const known = await countSameGap(db, asked);
  if (known) return noted(db, asked, known);
  await lockGaps(db, input.agentId); // Without this lock, two transactions could add the same gap.
  const found = (await countSameGap(db, asked)) ?? (await countLike(db, asked, input));
  return found ? noted(db, asked, found) : add(db, asked, input);
}

type Asked = {
  agentId: string;
  conversationId: string;
  text: string;
  fingerprint: string;
  /** Stems of the question's words; empty if the question has no words. */
  stems: readonly string[];
};

async function readQuestion(
  db: Db,
  { agentId, conversationId, question }: DetectGapInput,
): Promise<Asked> {
  const text = question.slice(0, QUESTION_CHARS_MAX).toWellFormed();
  const stems = await fingerprintOf(db, definingWords(text));
  const fingerprint = stems || text.trim().toLowerCase().slice(0, 100).toWellFormed();
  return { agentId, conversationId, text, fingerprint, stems: stems ? stems.split(' ') : [] };
}

/**
 * Returns the words that define the question, without stop words. If at most one word of the question is left, as in
 * "Do you deliver there?", adds the words of the rest of the text. If no words are left at all, returns all words of
 * the text.
 */
function definingWords(text: string): string {
  const { question, context } = askedWords(text);
  const isWhole = question.includes(' ');
  const words = (isWhole ? question : `${question} ${context}`).split(' ');
  return (
    words.filter((word) => !isNoise(word) || NUMBER.test(word)).join(' ') || searchableText(text)
  );
}

async function countLike(
  db: Db,
  { agentId, conversationId, stems }: Asked,
  { scope }: DetectGapInput,
): Promise<CountedGap | undefined> {
  const id = await findSameGap(db, { agentId, stems, scope: await scope() });
  return id === undefined ? undefined : countGap(db, { id, conversationId });
}

async function noted(
  db: Db,
  asked: Asked,
  { id: gapId, more }: CountedGap,
): Promise<{ gapId: string; isNew: boolean }> {
  await noteQuestion(db, { ...asked, gapId, more });
  return { gapId, isNew: false };
}

async function add(
  db: Db,
  asked: Asked,
  { namespace, topScore, closest, emit }: DetectGapInput,
): Promise<{ gapId: string; isNew: boolean }> {
  const { agentId, conversationId, text: question } = asked;
  const gapId = newUuid();
  const passages = closest.slice(0, CLOSEST_MAX).map(closePassage);
  await insertGap(db, { ...asked, id: gapId, namespace, question, topScore, closest: passages });
  await noteQuestion(db, { ...asked, gapId, more: 1 });
  await emit({
    gap_id: fromUuid('gap', gapId),
    conversation_id: fromUuid('conv', conversationId),
    agent_id: fromUuid('agt', agentId),
    question,
    top_score: topScore,
  });
  return { gapId, isNew: true };
}

function closePassage(hit: KnowledgeHit): ClosePassage {
  return { ...hitIds(hit), score: Math.round(hit.score * 10_000) / 10_000 };
}

const NUMBER = /^\p{N}+$/u;

/**
 * Maximum length of a recorded question. A message may be as large as 1 MB, but a list of gaps needs only the question.
 */
const QUESTION_CHARS_MAX = 2_000;
const CLOSEST_MAX = 5;
