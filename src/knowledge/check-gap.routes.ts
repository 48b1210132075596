import { z } from 'zod';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { checkGap, type CheckedQuestion } from './check-gap.ts';
import type { SearchWays } from './search-knowledge.ts';
import { hitIds } from './passages/search-passages.ts';

const passageId = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description} null: it is not answered.` });

const GapCheck = z
  .strictObject({
    answered: z.boolean().meta({ description: 'Whether all of them are.' }),
    questions: z.array(
      z.strictObject({
        question: z.string(),
        answered: z.boolean().meta({ description: 'Whether a reply would be given a passage.' }),
        score: z.number().meta({ description: 'Of the best passage, given or not; 0: none.' }),
        source_id: passageId('ks_…; of an answer to a gap: gap_….'),
        document_id: passageId('doc_…; of an answer to a gap: gap_….'),
        chunk_id: passageId('chk_…, the passage that a reply would be given first.'),
      }),
    ),
  })
  .meta({ id: 'KnowledgeGapCheck', description: 'Whether what was asked is answered by now.' });

/** Searches again for every wording of a gap and reports whether it is answered now (contract/knowledge.md#gaps). */
export function checkGapRoute(deps: { pool: Pool } & SearchWays): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/gaps/{id}/check',
    operationId: 'checkKnowledgeGap',
    tag: 'Knowledge',
    scope: 'read',
    summary: 'Ask the questions of a gap again',
    description:
      'In all the words it was asked in (`questions` of the gap), by the search that a turn of its agent ' +
      'makes: whether its answer is found, or what was indexed since answers an open one. Nothing changes ' +
      'by it.',
    params: { id: idParam('gap', 'knowledge gap') },
    answers: { 200: { description: 'What is found now.', schema: GapCheck } },
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const questions = (await checkGap(deps, { namespace, id })).map(checkedView);
      const answered = questions.length > 0 && questions.every((one) => one.answered);
      return { status: 200, body: { answered, questions } };
    },
  });
}

function checkedView({ question, answer, topScore }: CheckedQuestion) {
  return {
    question,
    answered: answer !== undefined,
    score: Math.round(topScore * 10_000) / 10_000,
    ...(answer ? hitIds(answer) : { source_id: null, document_id: null, chunk_id: null }),
  };
}
