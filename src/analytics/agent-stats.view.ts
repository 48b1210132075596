import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { timeBound } from '../platform/http/fields.ts';
import type { Measured } from './measures.sql.ts';
import type { Span } from './parts.sql.ts';

/**
 * This module defines the REST representation of conversation statistics for an agent, a version or a namespace
 * (contract/agents.md#statistics).
 */

const DAY_SEC = 86_400;
export const DAYS_MAX = 31;

export const spanQuery = {
  from: timeBound('Unix seconds, inclusive. Default: 24 hours before `to`.'),
  to: timeBound('Unix seconds, exclusive. Default: now.'),
};

/**
 * Returns the time span of a query, by default the last 24 hours.
 * @throws ApiError invalid_parameter
 */
export function spanOf(
  query: { from?: number | undefined; to?: number | undefined },
  nowMs: number,
): Span {
  const to = query.to ?? Math.floor(nowMs / 1_000) + 1;
  const from = query.from ?? to - DAY_SEC;
  if (from >= to) throw new ApiError('invalid_parameter', '`from` must be before `to`.');
  if (to - from <= DAYS_MAX * DAY_SEC) return { from, to };
  throw new ApiError(
    'invalid_parameter',
    `\`from\` must be at most ${DAYS_MAX} days before \`to\`.`,
  );
}

export const count = (description: string) => z.int().min(0).meta({ description });
/** Returns the schema of a rate, which is null if its divisor is zero. */
export const rate = (description: string) =>
  z.number().min(0).max(1).nullable().meta({ description });
export const figure = (description: string) => z.number().min(0).nullable().meta({ description });

export const countedShape = {
  conversations: count(
    'Number of conversations that started in the period, including erased ones.',
  ),
  active: count('Number of conversations that have not ended.'),
  ended: count('Number of conversations that have ended: the sum of the seven outcome counts.'),
  resolved: count('Number of conversations with the outcome `resolved`.'),
  unresolved: count('Number of conversations with the outcome `unresolved`.'),
  escalated: count('Number of conversations with the outcome `escalated`.'),
  abandoned: count('Number of conversations with the outcome `abandoned`.'),
  voicemail: count('Number of conversations with the outcome `voicemail`.'),
  failed: count('Number of conversations with the outcome `failed`.'),
  unknown: count('Number of conversations with the outcome `unknown`.'),
  resolution_rate: rate('`resolved` divided by `ended`.'),
  csat_average: figure('Average satisfaction reported by users, from 1 to 5.'),
  csat_count: count('Number of conversations whose users reported their satisfaction.'),
  csat_predicted_average: figure(
    'Average predicted satisfaction of the ended conversations, from 1 to 5.',
  ),
  csat_predicted_error: figure(
    'Mean absolute difference between predicted and reported satisfaction, in conversations ' +
      'that have both.',
  ),
  csat_correlation: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .meta({
      description:
        'Pearson correlation of reported and predicted satisfaction. Null if fewer than two ' +
        'conversations have both values, or if all values of one kind are equal.',
    }),
  escalations: count('Number of escalations in the counted conversations.'),
  escalated_conversations: count('Number of conversations with at least one escalation.'),
  escalation_rate: rate('`escalated_conversations` divided by `conversations`.'),
  questions: count('Number of user questions, answered or not.'),
  gaps: count('Number of user questions to which no answer was found.'),
  gap_rate: rate('`gaps` divided by `questions`.'),
  turns: count('Number of turns by all speakers.'),
};

const Shown = z.object(countedShape);

export function countedView(row: Measured): z.output<typeof Shown> {
  const conversations = row.active + row.ended;
  const questions = row.answered + row.gaps;
  return {
    conversations,
    active: row.active,
    ended: row.ended,
    resolved: row.resolved,
    unresolved: row.unresolved,
    escalated: row.escalated,
    abandoned: row.abandoned,
    voicemail: row.voicemail,
    failed: row.failed,
    unknown: row.unknown,
    resolution_rate: ratio(row.resolved, row.ended),
    csat_average: ratio(row.csatSum, row.csatCount),
    csat_count: row.csatCount,
    csat_predicted_average: ratio(row.predictedTenths, 10 * row.predictedCount),
    csat_predicted_error: ratio(row.bothErrorTenths, 10 * row.bothCount),
    csat_correlation: correlation(row),
    escalations: row.escalations,
    escalated_conversations: row.escalatedConversations,
    escalation_rate: ratio(row.escalatedConversations, conversations),
    questions,
    gaps: row.gaps,
    gap_rate: ratio(row.gaps, questions),
    turns: row.turns,
  };
}

export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/**
 * Returns Pearson's correlation between reported and predicted satisfaction. Returns null if all reported or all
 * predicted values are equal. All sums are whole numbers, so the variance of equal values is exactly zero, without
 * rounding errors.
 */
function correlation(row: Measured): number | null {
  const { bothCount: n, bothCsat: x, bothTenths: y } = row;
  const varianceX = n * row.bothCsatSquared - x * x;
  const varianceY = n * row.bothTenthsSquared - y * y;
  if (varianceX === 0 || varianceY === 0) return null;
  const r = (n * row.bothProduct - x * y) / Math.sqrt(varianceX) / Math.sqrt(varianceY);
  return Math.max(-1, Math.min(1, r));
}
