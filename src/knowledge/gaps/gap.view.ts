import { z } from 'zod';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import { passageIds } from '../passages/search-hit.view.ts';
import type { GapDetail } from './read-gap.ts';
import type { GapRow } from './knowledge-gaps.sql.ts';

/** This module defines the REST representation of gaps (contract/knowledge.md#gaps). */

export const gapStatus = z.enum(['open', 'resolved']);

const fields = {
  id: z.string().meta({ description: 'ID of the gap, `gap_…`.' }),
  created: createdAt,
  conversation_id: z
    .string()
    .meta({ description: 'Conversation in which the question was first asked.' }),
  agent_id: z.string(),
  question: z.string(),
  top_score: z.number().meta({
    description:
      'Score of the best passage when the question was first asked. 0 if no passage was found.',
  }),
  status: gapStatus,
  answer: z.string().nullable(),
  count: z.int().min(1).meta({
    description:
      'How often the question was asked. Immediate repeats in the same conversation count once.',
  }),
  last_asked_at: unixTime,
  resolved_at: unixTime.nullable(),
};

export const KnowledgeGap = z
  .strictObject(fields)
  .meta({ id: 'KnowledgeGap', description: 'A question that an agent could not answer.' });

const closePassage = z.strictObject({
  ...passageIds,
  heading: z
    .string()
    .nullable()
    .meta({ description: 'Headings above the passage. Null if the passage no longer exists.' }),
  text: z
    .string()
    .nullable()
    .meta({ description: 'Current text of the passage. Null if the passage no longer exists.' }),
  score: z
    .number()
    .meta({ description: 'Score of the passage when the question was first asked.' }),
});

export const KnowledgeGapDetail = z
  .strictObject({
    ...fields,
    questions: z
      .array(z.strictObject({ text: z.string(), count: z.int().min(1), last_asked_at: unixTime }))
      .meta({ description: 'Up to 20 wordings of the question, most frequent first.' }),
    closest: z.array(closePassage).meta({
      description:
        'The passages that were closest to the question when it was first asked: at most 5, best first.',
    }),
  })
  .meta({
    id: 'KnowledgeGapDetail',
    description: 'A gap with the wordings of its question and the closest passages.',
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
