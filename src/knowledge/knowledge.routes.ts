import { z } from 'zod';
import { searchFor } from './sources/read-knowledge.ts';
import { listGapPage, requireGap, resolveGap } from './gaps/resolve-gap.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam, idValue } from '../platform/http/params.ts';
import { route, type Route } from '../platform/http/route.ts';
import { gapStatus, gapView, hitView, KnowledgeGap, SearchHit } from './sources/knowledge.view.ts';
import { sourceRoutes, type SourceRoutesDeps } from './sources/knowledge-sources.routes.ts';

const tag = 'Knowledge';
const params = { id: idParam('gap', 'knowledge gap') };

const HITS_DEFAULT = 10;
const HITS_MAX = 50;

export type KnowledgeRoutesDeps = SourceRoutesDeps;

/** What agents answer from, and what they could not answer (contract §4). */
export function knowledgeRoutes(deps: KnowledgeRoutesDeps): Route[] {
  return [
    ...sourceRoutes(deps),
    searchRoute(deps),
    listGapsRoute(deps),
    readGapRoute(deps),
    resolveGapRoute(deps),
  ];
}

const searchLimit = z
  .string()
  .regex(/^[0-9]{1,2}$/, `must be a whole number from 1 to ${HITS_MAX}`)
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

function searchRoute(deps: KnowledgeRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/search',
    operationId: 'searchKnowledge',
    tag,
    scope: 'read',
    summary: 'Search knowledge, best passages first',
    description:
      'With `agent_id`: what that agent would see now. Without: all sources of the namespace and ' +
      'the answers to all gaps. There is one page.',
    query: {
      q: z.string().min(1).max(1_000).meta({ description: 'A question, as a user would ask it.' }),
      agent_id: idValue('agt').optional(),
      limit: searchLimit,
    },
    answers: { 200: { description: 'The passages.', schema: pageSchema(SearchHit) } },
    errors: ['not_found'],
    handle: async ({ caller: { namespace }, query: { q, agent_id: agentId = null, limit } }) => {
      const hits = await searchFor(deps, { namespace, agentId, query: q, limit });
      return {
        status: 200,
        body: { data: hits.map(hitView), has_more: false, next_cursor: null },
      };
    },
  });
}

function listGapsRoute(deps: KnowledgeRoutesDeps): Route {
  const cursorOf = idCursor('gap');
  return route({
    method: 'get',
    path: '/v1/knowledge/gaps',
    operationId: 'listKnowledgeGaps',
    tag,
    scope: 'read',
    summary: 'List questions without an answer, newest first',
    query: {
      status: gapStatus.optional(),
      agent_id: idValue('agt').optional(),
      conversation_id: idValue('conv').optional(),
      ...idPage('gap'),
    },
    answers: { 200: { description: 'A page of gaps.', schema: pageSchema(KnowledgeGap) } },
    handle: async ({ caller: { namespace }, query }) => {
      const { limit, cursor: before = null, status } = query;
      const filter = {
        status,
        agentId: query.agent_id,
        conversationId: query.conversation_id,
      };
      const rows = await listGapPage(deps, { namespace, before, limit: limit + 1, filter });
      return { status: 200, body: pageOf(rows, { limit, view: gapView, cursorOf }) };
    },
  });
}

function readGapRoute(deps: KnowledgeRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/gaps/{id}',
    operationId: 'getKnowledgeGap',
    tag,
    scope: 'read',
    summary: 'Read a gap',
    params,
    answers: { 200: { description: 'The gap.', schema: KnowledgeGap } },
    handle: async ({ caller: { namespace }, params: { id } }) => ({
      status: 200,
      body: gapView(await requireGap(deps, { namespace, id })),
    }),
  });
}

const resolveBody = z
  .strictObject({
    answer: z
      .string()
      .trim()
      .min(1)
      .max(8_000)
      .optional()
      .describe('What the agent is to reply from now on; absent: there will be no answer.'),
  })
  .describe('How the gap is closed.');

function resolveGapRoute(deps: KnowledgeRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/knowledge/gaps/{id}/resolve',
    operationId: 'resolveKnowledgeGap',
    tag,
    scope: 'write',
    summary: 'Close a gap, with an answer or without',
    description:
      'An answer is a passage of that agent alone, found by the words of the question and its ' +
      'own, from the next search on. Without one the question opens a new gap when it comes up ' +
      'again.',
    params,
    body: { schema: resolveBody, isOptional: true },
    answers: { 200: { description: 'The gap.', schema: KnowledgeGap } },
    errors: ['gap_resolved'],
    handle: ({ answering, caller: { namespace }, params: { id }, body: { answer = null } }) =>
      answering(
        (settle) => resolveGap(deps, { namespace, id, answer }, settle),
        (row) => ({ status: 200, body: gapView(row) }),
      ),
  });
}
