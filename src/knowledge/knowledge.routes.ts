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

/**
 * Returns the routes for sources, syncs, gaps and the search in the knowledge of agents (contract/knowledge.md#search).
 */
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
    description: 'Most passages.',
    type: 'integer',
    default: HITS_DEFAULT,
    minimum: 1,
    maximum: HITS_MAX,
  });

const SearchPage = pageSchema(SearchHit).extend({
  meaning: z.enum(['used', 'partly', 'unavailable', 'none']).meta({
    description:
      'Whether passages were found by their meaning too: of some sources only (`partly`), not since the ' +
      'provider did not answer in time (`unavailable`), not since nothing is embedded (`none`).',
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
      'With `agent_id`: what that agent would see now, and which of it a reply would be given (`given`). ' +
      'Without: all sources of the namespace and the answers to all gaps. There is one page.',
    query: {
      q: z.string().min(1).max(1_000).meta({ description: 'A question, as a user would ask it.' }),
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
