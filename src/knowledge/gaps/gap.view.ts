import { z } from 'zod';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import type { GapDetail } from './read-gap.ts';
import type { GapRow } from './knowledge-gaps.sql.ts';

/** This module defines the REST representation of gaps (contract/knowledge.md#gaps). */

export const gapStatus = z.enum(['open', 'resolved']);

const fields = {
  id: z.string().meta({ description: 'gap_…' }),
  created: createdAt,
  conversation_id: z.string().meta({ description: 'Where it was asked first.' }),
  agent_id: z.string(),
  question: z.string(),
  top_score: z.number().meta({ description: 'Of the best passage there was; 0: none.' }),
  status: gapStatus,
  answer: z.string().nullable(),
  count: z.int().min(1).meta({
    description: 'How often it was asked; repeated at once in one conversation, once.',
  }),
  last_asked_at: unixTime,
  resolved_at: unixTime.nullable(),
};

export const KnowledgeGap = z
  .strictObject(fields)
  .meta({ id: 'KnowledgeGap', description: 'A question an agent had no answer to.' });

const closePassage = z.strictObject({
  source_id: z.string().meta({ description: 'ks_…; of an answer to a gap: gap_….' }),
  document_id: z.string().meta({ description: 'doc_…; of an answer to a gap: gap_….' }),
  chunk_id: z.string().meta({ description: 'chk_…' }),
  heading: z.string().nullable().meta({ description: 'null: the passage is gone since.' }),
  text: z.string().nullable().meta({ description: 'As it is now; null: it is gone since.' }),
  score: z.number().meta({ description: 'When the gap was asked first.' }),
});

export const KnowledgeGapDetail = z
  .strictObject({
    ...fields,
    questions: z
      .array(z.strictObject({ text: z.string(), count: z.int().min(1), last_asked_at: unixTime }))
      .meta({ description: 'The words it was asked in, at most 20, most often first.' }),
    closest: z
      .array(closePassage)
      .meta({ description: 'What came closest when it was asked first, best first, at most 5.' }),
  })
  .meta({
    id: 'KnowledgeGapDetail',
    description: 'A gap, the words it was asked in, and the passages that came closest.',
  });

export function gapDetailView(gap: GapDetail): z.output<typeof KnowledgeGapDetail> {
  const questions = gap.questions.map(({ text, count, lastAskedAt }) => ({
    text,
    count,
    last_asked_at: unixSec(lastAskedAt),
  }));
  return { ...gapView(gap), questions, closest: [...gap.closest] };
}

export function gapView(row: Omit<GapRow, 'closest'>): z.output<typeof KnowledgeGap> {
  return {
    id: fromUuid('gap', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    conversation_id: fromUuid('conv', row.conversationId),
    agent_id: fromUuid('agt', row.agentId),
    question: row.question,
    top_score: Math.round(row.topScore * 10_000) / 10_000,
    status: row.status,
    answer: row.answer,
    count: row.count,
    last_asked_at: unixSec(row.lastAskedAt),
    resolved_at: unixSecOrNull(row.resolvedAt),
  };
}
