import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { unixTime } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { readStats } from './agent-stats.sql.ts';
import { countedShape, countedView, DAYS_MAX, spanOf, spanQuery } from './agent-stats.view.ts';

const ROWS_MAX = 1_000;

const VersionStats = z
  .strictObject({ agent_id: z.string(), version: z.int(), ...countedShape })
  .meta({ id: 'VersionStats', description: 'Of conversations that began with this version.' });

const Stats = z
  .strictObject({
    from: unixTime,
    to: unixTime,
    total: z.strictObject(countedShape).meta({ description: 'Of all conversations of the span.' }),
    agents: z
      .array(VersionStats)
      .max(ROWS_MAX)
      .meta({ description: 'One for each version that had conversations, most of them first.' }),
    has_more: z.boolean().meta({ description: `There are more than ${ROWS_MAX} of them.` }),
  })
  .meta({ id: 'Stats', description: 'What became of conversations, as numbers.' });

/** Serves statistics of all conversations of the namespace (contract/agents.md#statistics). */
export function statsRoute(deps: { pool: Pool; nowMs: () => number }): Route {
  return route({
    method: 'get',
    path: '/v1/stats',
    operationId: 'getStats',
    tag: 'Conversations',
    scope: 'read',
    summary: 'Figures of all agents by version',
    description: `Of conversations that started in at most ${DAYS_MAX} days; a rate is null when there is nothing to divide by.`,
    query: spanQuery,
    answers: { 200: { description: 'The figures.', schema: Stats } },
    handle: async ({ caller: { namespace }, query }) => {
      const span = spanOf(query, deps.nowMs());
      const { total, versions } = await readStats(
        deps.pool,
        { namespace, limit: ROWS_MAX + 1 },
        span,
      );
      const agents = versions.slice(0, ROWS_MAX).map(({ agentId, version, ...row }) => ({
        agent_id: fromUuid('agt', agentId),
        version,
        ...countedView(row),
      }));
      const body = { ...span, total: countedView(total), agents };
      return { status: 200, body: { ...body, has_more: versions.length > ROWS_MAX } };
    },
  });
}
