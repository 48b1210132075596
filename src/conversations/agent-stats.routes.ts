import { z } from 'zod';
import { saying } from '../platform/resources/schema/patterns.ts';
import { readVersion } from '../agents/agent-versions.sql.ts';
import { requireAgent } from '../agents/write-agent.ts';
import { ApiError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { idParam, timeBound, unixTime } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { MAX_INT32 } from '../platform/resources/schema/field-types.ts';
import { readAgentStats, type AgentStats as Counted } from './agent-stats.sql.ts';

type AgentStatsDeps = { pool: Pool; nowMs: () => number };

const DAY_SEC = 86_400;
const DAYS_MAX = 31;

const version = z
  .string()
  .regex(...saying(/^[1-9][0-9]{0,9}$/, 'must be the number of a version'))
  .transform(Number)
  .refine((number) => number <= MAX_INT32, 'must be the number of a version')
  .optional()
  .meta({ description: 'Of this version only.', type: 'integer', minimum: 1 });

const count = (description: string) => z.int().min(0).meta({ description });
/** Null: there is nothing to divide by. */
const rate = (description: string) => z.number().min(0).max(1).nullable().meta({ description });
const figure = (description: string) => z.number().min(0).nullable().meta({ description });

/** Flat and numeric: whatever reads JSON by a path can judge a roll-out by it. */
const AgentStats = z
  .strictObject({
    agent_id: z.string(),
    version: z.int().nullable(),
    from: unixTime,
    to: unixTime,
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
    escalations: count('Requested in these conversations.'),
    escalated_conversations: count('With at least one escalation.'),
    escalation_rate: rate('`escalated_conversations` of `conversations`.'),
    questions: count('Answered or not.'),
    gaps: count('Questions without an answer.'),
    gap_rate: rate('`gaps` of `questions`.'),
    turns: count('Of whoever spoke.'),
    turn_latency_count: count('Turns of the agent that were measured, of the 1,000 newest.'),
    turn_latency_p50_ms: figure('Of these.'),
    turn_latency_p95_ms: figure('Of these.'),
  })
  .meta({ id: 'AgentStats', description: "What became of an agent's conversations, as numbers." });

/** Of an agent, but made of its conversations (contract §4). */
export function agentStatsRoute(deps: AgentStatsDeps): Route {
  return route({
    method: 'get',
    path: '/v1/agents/{id}/stats',
    operationId: 'getAgentStats',
    tag: 'Agents',
    scope: 'read',
    summary: 'Figures of an agent, or of one version',
    description: `Of conversations that started in at most ${DAYS_MAX} days; a rate is null when there is nothing to divide by.`,
    params: { id: idParam('agt', 'agent') },
    query: {
      version,
      from: timeBound('Unix seconds, inclusive. Default: 24 hours before `to`.'),
      to: timeBound('Unix seconds, exclusive. Default: now.'),
    },
    answers: { 200: { description: 'The figures.', schema: AgentStats } },
    errors: ['unknown_version'],
    handle: async ({ caller: { namespace }, params: { id: agentId }, query }) => {
      await requireAgent(deps, { namespace, id: agentId });
      const to = query.to ?? Math.floor(deps.nowMs() / 1_000) + 1;
      const from = query.from ?? to - DAY_SEC;
      requireSpan(from, to);
      await requireVersion(deps, agentId, query.version);
      const of = { namespace, agentId, version: query.version };
      const body = view(await readAgentStats(deps.pool, of, { from, to }));
      const about = { agent_id: fromUuid('agt', agentId), version: query.version ?? null };
      return { status: 200, body: { ...about, from, to, ...body } };
    },
  });
}

/** @throws ApiError invalid_parameter */
function requireSpan(from: number, to: number): void {
  if (from >= to) throw new ApiError('invalid_parameter', 'from: must be before to');
  if (to - from <= DAYS_MAX * DAY_SEC) return;
  throw new ApiError('invalid_parameter', `from: may be at most ${DAYS_MAX} days before to`);
}

/** Zeros for a version that was never made would let a roll-out pass. @throws ApiError unknown_version */
async function requireVersion(
  { pool }: AgentStatsDeps,
  agentId: string,
  number: number | undefined,
): Promise<void> {
  if (number === undefined || (await readVersion(pool, { agentId, version: number }))) return;
  throw new ApiError('unknown_version', `the agent has no version ${number}`);
}

function view(
  row: Counted,
): Omit<z.output<typeof AgentStats>, 'agent_id' | 'version' | 'from' | 'to'> {
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
    escalations: row.escalations,
    escalated_conversations: row.escalatedConversations,
    escalation_rate: ratio(row.escalatedConversations, row.conversations),
    questions,
    gaps: row.gaps,
    gap_rate: ratio(row.gaps, questions),
    turns: row.turns,
    turn_latency_count: row.latencyCount,
    turn_latency_p50_ms: row.latencyP50Ms,
    turn_latency_p95_ms: row.latencyP95Ms,
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
