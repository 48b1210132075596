import { z } from 'zod';
import { found } from '../errors.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { listQuestions } from './gaps/gap-questions.sql.ts';
import { readGap } from './gaps/knowledge-gaps.sql.ts';
import { hitIds, type KnowledgeHit } from './passages/search-passages.ts';
import { DEFAULT_TOP_K, searchFor, type SearchWays } from './search-knowledge.ts';

const passageId = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description} Null if there is no answer.` });

const GapCheck = z
  .strictObject({
    answered: z
      .boolean()
      .meta({ description: 'Whether every wording of the question has an answer now.' }),
    questions: z.array(
      z.strictObject({
        question: z.string(),
        answered: z
          .boolean()
          .meta({ description: 'Whether a reply to this wording would use a passage.' }),
        score: z.number().meta({
          description:
            'Score of the best passage, even if a reply would not use it. 0 if no passage was found.',
        }),
        source_id: passageId(
          'ID of the source (`ks_…`), or of the gap (`gap_…`) if the passage is the answer to a gap.',
        ),
        document_id: passageId(
          'ID of the document (`doc_…`), or of the gap (`gap_…`) if the passage is the answer to a gap.',
        ),
        chunk_id: passageId('ID of the first passage that a reply would use, `chk_…`.'),
      }),
    ),
  })
  .meta({
    id: 'KnowledgeGapCheck',
    description: 'Which wordings of a gap have an answer now.',
  });

/**
 * Creates the route that repeats the search for every wording of a gap, and reports which wordings now have an answer
 * (contract/knowledge.md#gaps).
 */
export function checkGapRoute(deps: { pool: Pool } & SearchWays): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/gaps/{id}/check',
    operationId: 'checkKnowledgeGap',
    tag: 'Knowledge',
    scope: 'read',
    summary: 'Check whether a gap has an answer now',
    description:
      'Searches for every wording of the gap (`questions`) in the same way as the agent does before ' +
      'a reply. The result shows whether the search finds the answer to a resolved gap, or whether ' +
      'newer knowledge answers an open gap. The check changes nothing.',
    params: { id: idParam('gap', 'knowledge gap') },
    answers: { 200: { description: 'Result of the search.', schema: GapCheck } },
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const questions = (await checkGap(deps, { namespace, id })).map(checkedView);
      const answered = questions.length > 0 && questions.every((one) => one.answered);
      return { status: 200, body: { answered, questions } };
    },
  });
}

/** One wording of a gap, with the result of searching for it now. */
type CheckedQuestion = {
  question: string;
  /** The first passage that a reply would use, or `undefined` if the wording still has no answer. */
  answer: KnowledgeHit | undefined;
  /** Score of the best passage, even if a reply would not use it; 0 if no passage was found. */
  topScore: number;
};

/**
 * Repeats the search for every recorded wording of a gap, exactly as the gap's agent would search in a conversation. A
 * wording may now have an answer because the gap was resolved with one, or because newer content covers it.
 * @throws ApiError not_found if the gap does not exist or its agent was deleted
 */
async function checkGap(
  deps: { pool: Pool } & SearchWays,
  { namespace, id }: { namespace: string; id: string },
): Promise<CheckedQuestion[]> {
  const { agentId } = found(await readGap(deps.pool, { namespace, id }), 'knowledge gap');
  const checked: CheckedQuestion[] = [];
  // Searches for one wording at a time, so that searches in live conversations do not have to wait. The check takes
  // longer this way, but only the client that requested it waits.
  for (const { text: question } of await listQuestions(deps.pool, id)) {
    const asked = { namespace, agentId, query: question, limit: DEFAULT_TOP_K };
    const { hits } = await searchFor(deps, asked);
    const answer = hits.find(({ given }) => given);
    checked.push({ question, answer, topScore: Math.max(0, ...hits.map(({ score }) => score)) });
  }
  return checked;
}

function checkedView({ question, answer, topScore }: CheckedQuestion) {
  return {
    question,
    answered: answer !== undefined,
    score: Math.round(topScore * 10_000) / 10_000,
    ...(answer ? hitIds(answer) : { source_id: null, document_id: null, chunk_id: null }),
  };
}
