import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import type { GapRow } from './knowledge-gaps.sql.ts';

/** Gaps as REST answers them (contract §4). */

export const gapStatus = z.enum(['open', 'resolved']);

export const KnowledgeGap = z
  .strictObject({
    id: z.string().meta({ description: 'gap_…' }),
    created: createdAt,
    conversation_id: z.string().meta({ description: 'Where it was asked first.' }),
    agent_id: z.string(),
    question: z.string(),
    top_score: z.number().meta({ description: 'Of the best passage there was; 0: none.' }),
    status: gapStatus,
    answer: z.string().nullable(),
    count: z.int().min(1).meta({ description: 'How often it was asked.' }),
    last_asked_at: unixTime,
    resolved_at: unixTime.nullable(),
  })
  .meta({ id: 'KnowledgeGap', description: 'A question an agent had no answer to.' });

export function gapView(row: GapRow): z.output<typeof KnowledgeGap> {
  return {
    id: fromUuid('gap', row.id),
    created: unixSec(row.createdAt),
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
