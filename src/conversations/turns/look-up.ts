import type { AgentContent } from '../../agents/agent.ts';
import { DEFAULT_MIN_SCORE, DEFAULT_TOP_K } from '../../knowledge/search-knowledge.ts';
import { hitIds, type KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { Retrieval } from '../record/turns.sql.ts';
import type { ResponderRequest } from './responder.ts';

/** Search results for a turn. */
export type Found = {
  /** All passages found, best first. */
  hits: readonly KnowledgeHit[];
  /** Passages with a score that is high enough to base an answer on. */
  good: readonly KnowledgeHit[];
};

/** Searches the knowledge for the user's question. Finds nothing if the message has no question. */
export async function lookUp(
  { user, search, speaker: first }: Pick<ResponderRequest, 'user' | 'search' | 'speaker'>,
  speaker = first,
): Promise<Found> {
  if (user.question === '') return { hits: [], good: [] };
  const hits = await search(user.query, topKOf(speaker.content), speaker);
  return { hits, good: hits.filter((hit) => isGood(hit, speaker.content)) };
}

function topKOf({ knowledge }: AgentContent): number {
  return knowledge?.topK ?? DEFAULT_TOP_K;
}

export function isGood({ score }: KnowledgeHit, { knowledge }: AgentContent): boolean {
  return score >= (knowledge?.minScore ?? DEFAULT_MIN_SCORE);
}

/**
 * Returns the search result for the transcript: the passages that the answer is based on, and the other passages found.
 */
export function retrievalOf(
  query: string,
  { hits, drawn }: { hits: readonly KnowledgeHit[]; drawn: readonly KnowledgeHit[] },
): Retrieval {
  const chunk = (hit: KnowledgeHit) => ({
    ...hitIds(hit),
    score: hit.score,
    ...(typeof hit.similarity === 'number' && { similarity: hit.similarity }),
  });
  const considered = hits.filter((hit) => !drawn.includes(hit));
  return {
    query,
    top_score: Math.max(0, ...hits.map(({ score }) => score)),
    chunks: drawn.map(chunk),
    ...(considered.length > 0 && { considered: considered.map(chunk) }),
  };
}
