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
  .meta({
    id: 'VersionStats',
    description: 'Statistics about the conversations that started on this version.',
  });

const Stats = z
  .strictObject({
    from: unixTime,
    to: unixTime,
    total: z
      .strictObject(countedShape)
      .meta({ description: 'Statistics about all conversations in the period.' }),
    agents: z.array(VersionStats).max(ROWS_MAX).meta({
      description: 'One entry for each version that has conversations, most conversations first.',
    }),
    has_more: z.boolean().meta({ description: `Whether there are more than ${ROWS_MAX} entries.` }),
  })
  .meta({ id: 'Stats', description: 'Conversation statistics.' });

/** Serves statistics about all conversations in the namespace (contract/agents.md#statistics). */
export function statsRoute(deps: { pool: Pool; nowMs: () => number }): Route {
  return route({
    method: 'get',
    path: '/v1/stats',
    operationId: 'getStats',
    tag: 'Conversations',
    scope: 'read',
    summary: 'Read the statistics of all agents by version',
    description:
      `Covers conversations that started within a period of at most ${DAYS_MAX} days. A rate is ` +
      'null if its divisor is zero.',
    query: spanQuery,
    answers: { 200: { description: 'The statistics.', schema: Stats } },
    handle: async ({ caller: { namespace }, query }) => {
      const nowMs = deps.nowMs();
      const span = spanOf(query, nowMs);
      const { total, versions } = await readStats(
        deps.pool,
        { namespace, limit: ROWS_MAX + 1 },
        { span, nowSec: nowMs / 1_000 },
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
