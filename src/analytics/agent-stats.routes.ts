import { z } from 'zod';
import { readVersion } from '../agents/agent-versions.sql.ts';
import { requireAgent } from '../agents/write-agent.ts';
import { ApiError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { idParam, unixTime, versionFilter } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { readAgentStats } from './agent-stats.sql.ts';
import {
  count,
  countedShape,
  countedView,
  DAYS_MAX,
  figure,
  spanOf,
  spanQuery,
} from './agent-stats.view.ts';

type AgentStatsDeps = { pool: Pool; nowMs: () => number };

const version = versionFilter.describe('Counts only conversations on this version.');

/**
 * Response body. All metrics are top-level numbers, so that any rollout tool that reads JSON by path can use them to
 * decide whether a rollout continues.
 */
const AgentStats = z
  .strictObject({
    agent_id: z.string(),
    version: z.int().nullable(),
    from: unixTime,
    to: unixTime,
    ...countedShape,
    turn_latency_count: count(
      'Number of agent turns with a measured latency in the newest 1,000 conversations.',
    ),
    turn_latency_p50_ms: figure('Median of the measured turn latencies, in milliseconds.'),
    turn_latency_p95_ms: figure('95th percentile of the measured turn latencies, in milliseconds.'),
  })
  .meta({ id: 'AgentStats', description: "Statistics about an agent's conversations." });

/** Serves an agent's statistics, counted from its conversations (contract/agents.md#statistics). */
export function agentStatsRoute(deps: AgentStatsDeps): Route {
  return route({
    method: 'get',
    path: '/v1/agents/{id}/stats',
    operationId: 'getAgentStats',
    tag: 'Agents',
    scope: 'read',
    summary: 'Read the statistics of an agent or of one version',
    description:
      `Covers conversations that started within a period of at most ${DAYS_MAX} days. A rate is ` +
      'null if its divisor is zero.',
    params: { id: idParam('agt', 'agent') },
    query: {
      version,
      ...spanQuery,
    },
    answers: { 200: { description: 'The statistics.', schema: AgentStats } },
    errors: ['unknown_version'],
    handle: async ({ caller: { namespace }, params: { id: agentId }, query }) => {
      await requireAgent(deps, { namespace, id: agentId });
      const nowMs = deps.nowMs();
      const span = spanOf(query, nowMs);
      await requireVersion(deps, agentId, query.version);
      const of = { namespace, agentId, version: query.version };
      const row = await readAgentStats(deps.pool, of, { span, nowSec: nowMs / 1_000 });
      const about = { agent_id: fromUuid('agt', agentId), version: query.version ?? null };
      const latency = {
        turn_latency_count: row.latencyCount,
        turn_latency_p50_ms: row.latencyP50Ms,
        turn_latency_p95_ms: row.latencyP95Ms,
      };
      return { status: 200, body: { ...about, ...span, ...countedView(row), ...latency } };
    },
  });
}

/**
 * Throws if the agent has no such version. Without this check, all statistics would be zero, and a rollout tool's
 * automated check would pass.
 * @throws ApiError unknown_version
 */
async function requireVersion(
  { pool }: AgentStatsDeps,
  agentId: string,
  number: number | undefined,
): Promise<void> {
  if (number === undefined || (await readVersion(pool, { agentId, version: number }))) return;
  throw new ApiError('unknown_version', `The agent has no version ${number}.`);
}
