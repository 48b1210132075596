import { found } from '../errors.ts';
import { listQuestions } from './gaps/gap-questions.sql.ts';
import { readGap } from './gaps/knowledge-gaps.sql.ts';
import type { KnowledgeHit } from './passages/search-passages.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { DEFAULT_TOP_K, searchFor, type SearchWays } from './search-knowledge.ts';

/** One way in which a gap was asked, asked now. */
export type CheckedQuestion = {
  question: string;
  /** What a reply would be given first; undefined: nothing, so it is a gap still. */
  answer: KnowledgeHit | undefined;
  /** Of the best passage, given or not; 0: there is none. */
  topScore: number;
};

/**
 * Asks all that is known of a gap again, by the search that a turn of its agent makes: whether its answer is
 * found in other words too, or what was indexed since answers it.
 * @throws ApiError not_found: there is no such gap, or its agent is gone
 */
export async function checkGap(
  deps: { pool: Pool } & SearchWays,
  { namespace, id }: { namespace: string; id: string },
): Promise<CheckedQuestion[]> {
  const { agentId } = found(await readGap(deps.pool, { namespace, id }), 'knowledge gap');
  const checked: CheckedQuestion[] = [];
  // One after the other: who waits for this is one person, and the searches of turns go on beside it.
  for (const { text: question } of await listQuestions(deps.pool, id)) {
    const asked = { namespace, agentId, query: question, limit: DEFAULT_TOP_K };
    const { hits } = await searchFor(deps, asked);
    const answer = hits.find(({ given }) => given);
    checked.push({ question, answer, topScore: Math.max(0, ...hits.map(({ score }) => score)) });
  }
  return checked;
}
