import { found } from '../errors.ts';
import { listQuestions } from './gaps/gap-questions.sql.ts';
import { readGap } from './gaps/knowledge-gaps.sql.ts';
import type { KnowledgeHit } from './passages/search-passages.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { DEFAULT_TOP_K, searchFor, type SearchWays } from './search-knowledge.ts';

/** One wording of a gap and the result of searching for it now. */
export type CheckedQuestion = {
  question: string;
  /** The first passage that a reply would use, or `undefined` if the wording still has no answer. */
  answer: KnowledgeHit | undefined;
  /** Score of the best passage, whether a reply would use it or not; 0 without a passage. */
  topScore: number;
};

/**
 * Repeats the search for every recorded wording of a gap, with the same search that a turn of its agent makes. Shows
 * whether the answer is found in all wordings, or whether content indexed later answers the gap.
 * @throws ApiError not_found if the gap does not exist or its agent was deleted
 */
export async function checkGap(
  deps: { pool: Pool } & SearchWays,
  { namespace, id }: { namespace: string; id: string },
): Promise<CheckedQuestion[]> {
  const { agentId } = found(await readGap(deps.pool, { namespace, id }), 'knowledge gap');
  const checked: CheckedQuestion[] = [];
  // Searches one at a time: only one person waits for the result, and searches of turns run in parallel.
  for (const { text: question } of await listQuestions(deps.pool, id)) {
    const asked = { namespace, agentId, query: question, limit: DEFAULT_TOP_K };
    const { hits } = await searchFor(deps, asked);
    const answer = hits.find(({ given }) => given);
    checked.push({ question, answer, topScore: Math.max(0, ...hits.map(({ score }) => score)) });
  }
  return checked;
}
