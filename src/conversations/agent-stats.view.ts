import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { timeBound } from '../platform/http/fields.ts';
import type { Counted, Span } from './agent-stats.sql.ts';

/**
 * Statistics of conversations in the REST API, for an agent, a version or a namespace (contract/agents.md#statistics).
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
  if (from >= to) throw new ApiError('invalid_parameter', 'from: must be before to');
  if (to - from <= DAYS_MAX * DAY_SEC) return { from, to };
  throw new ApiError('invalid_parameter', `from: may be at most ${DAYS_MAX} days before to`);
}

export const count = (description: string) => z.int().min(0).meta({ description });
/** Returns the schema of a rate. It is null if the divisor is zero. */
const rate = (description: string) => z.number().min(0).max(1).nullable().meta({ description });
export const figure = (description: string) => z.number().min(0).nullable().meta({ description });

export const countedShape = {
  conversations: count('Started from `from` on and before `to`; erased ones too.'),
  active: count('Not ended yet.'),
  ended: count('Ended: the sum of the seven outcomes.'),
  resolved: count('By outcome.'),
  unresolved: count('By outcome.'),
  escalated: count('By outcome.'),
  abandoned: count('By outcome.'),
  voicemail: count('By outcome.'),
  failed: count('By outcome.'),
  unknown: count('By outcome.'),
  resolution_rate: rate('`resolved` of `ended`.'),
  csat_average: figure('Of what users said, 1 to 5.'),
  csat_count: count('How many said it.'),
  csat_predicted_average: figure('Of the ended ones, 1 to 5.'),
  csat_predicted_error: figure(
    'How far the prediction is from what users said, on average, of those who said it.',
  ),
  csat_correlation: z.number().min(-1).max(1).nullable().meta({
    description:
      'Of what users said and what was predicted, Pearson’s; null: fewer than two, or no two that differ.',
  }),
  escalations: count('Requested in these conversations.'),
  escalated_conversations: count('With at least one escalation.'),
  escalation_rate: rate('`escalated_conversations` of `conversations`.'),
  questions: count('Answered or not.'),
  gaps: count('Questions without an answer.'),
  gap_rate: rate('`gaps` of `questions`.'),
  turns: count('Of whoever spoke.'),
};

const Shown = z.object(countedShape);

export function countedView(row: Counted): z.output<typeof Shown> {
  const questions = row.answered + row.gaps;
  return {
    conversations: row.conversations,
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
    csat_predicted_average: row.csatPredictedAverage,
    csat_predicted_error: row.csatPredictedError,
    csat_correlation: row.csatCorrelation,
    escalations: row.escalations,
    escalated_conversations: row.escalatedConversations,
    escalation_rate: ratio(row.escalatedConversations, row.conversations),
    questions,
    gaps: row.gaps,
    gap_rate: ratio(row.gaps, questions),
    turns: row.turns,
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
