import { found } from '../../errors.ts';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { readPassage } from './knowledge-chunks.sql.ts';
import { Passage, passageView } from './search-hit.view.ts';

/**
 * Creates the route that reads a passage by its `chunk_id`, which comes from a transcript or a search
 * (contract/knowledge.md#search).
 */
export function readPassageRoute({ pool }: { pool: Pool }): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/chunks/{id}',
    operationId: 'getKnowledgeChunk',
    tag: 'Knowledge',
    scope: 'read',
    summary: 'Read a passage',
    description:
      'Returns the current content of the passage. A passage no longer exists (404) once its source is indexed ' +
      'again or, if it is the answer to a gap, once that answer changes.',
    params: { id: idParam('chk', 'passage') },
    answers: { 200: { description: 'The passage.', schema: Passage } },
    handle: async ({ caller: { namespace }, params: { id } }) => ({
      status: 200,
      body: passageView(found(await readPassage(pool, { namespace, id }), 'passage')),
    }),
  });
}
