import { z } from 'zod';
import { checkGapRoute } from './check-gap.routes.ts';
import { gapRoutes } from './gaps/gaps.routes.ts';
import { pageSchema } from '../platform/http/cursor.ts';
import { idValue } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { readPassageRoute } from './passages/read-passage.routes.ts';
import { hitView, SearchHit } from './passages/search-hit.view.ts';
import { searchFor, type SearchWays } from './search-knowledge.ts';
import { sourceRoutes, type SourceRoutesDeps } from './sources/knowledge-sources.routes.ts';
import { syncRoutes } from './syncs/syncs.routes.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

const HITS_DEFAULT = 10;
const HITS_MAX = 50;

export type KnowledgeRoutesDeps = SourceRoutesDeps & SearchWays;

/** Returns the routes for sources, syncs, gaps and knowledge search (contract/knowledge.md#search). */
export function knowledgeRoutes(deps: KnowledgeRoutesDeps): Route[] {
  return [
    ...sourceRoutes(deps),
    ...syncRoutes(deps),
    searchRoute(deps),
    readPassageRoute(deps),
    ...gapRoutes(deps),
    checkGapRoute(deps),
  ];
}

const searchLimit = z
  .string()
  .regex(...saying(/^[0-9]{1,2}$/, `must be a whole number from 1 to ${HITS_MAX}`))
  .transform(Number)
  .refine((hits) => hits >= 1 && hits <= HITS_MAX, `must be from 1 to ${HITS_MAX}`)
  .default(HITS_DEFAULT)
  .meta({
    description: 'Maximum number of passages to return.',
    type: 'integer',
    default: HITS_DEFAULT,
    minimum: 1,
    maximum: HITS_MAX,
  });

const SearchPage = pageSchema(SearchHit).extend({
  meaning: z.enum(['used', 'partly', 'unavailable', 'none']).meta({
    description:
      'Whether passages were also found by their meaning: in all sources (`used`), in some sources ' +
      'only (`partly`), in none because the provider did not respond in time (`unavailable`), or in ' +
      'none because nothing is embedded (`none`).',
  }),
});

function searchRoute(deps: KnowledgeRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/search',
    operationId: 'searchKnowledge',
    tag: 'Knowledge',
    scope: 'read',
    summary: 'Search knowledge, best passages first',
    description:
      'Searches the knowledge that the agent `agent_id` can use. The field `given` marks the ' +
      'passages that a reply would use. If `agent_id` is absent, searches all sources in the ' +
      'namespace and the answers to all gaps. All results are on one page.',
    query: {
      q: z.string().min(1).max(1_000).meta({ description: 'Question, as a user would ask it.' }),
      agent_id: idValue('agt').optional(),
      limit: searchLimit,
    },
    answers: { 200: { description: 'The passages.', schema: SearchPage } },
    errors: ['not_found'],
    handle: async ({ caller: { namespace }, query: { q, agent_id: agentId = null, limit } }) => {
      const { hits, meaning } = await searchFor(deps, { namespace, agentId, query: q, limit });
      const data = hits.map((hit) => hitView(hit, hit.given));
      return { status: 200, body: { data, has_more: false, next_cursor: null, meaning } };
    },
  });
}
