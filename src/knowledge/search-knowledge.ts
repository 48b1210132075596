import { readLiveContent } from '../agents/agent-versions.sql.ts';
import type { AgentContent } from '../agents/agent.ts';
import { found } from '../errors.ts';
import { toUuid } from '../ids.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { listAnsweringAgents } from './passages/knowledge-chunks.sql.ts';
import { searchPassages, type KnowledgeHit } from './passages/search-passages.ts';
import { findSourceIds, listSourceIds } from './sources/knowledge-sources.sql.ts';

/** What to search: sources of a namespace, and the answers to the gaps of an agent. */
export type KnowledgeScope = {
  namespace: string;
  /** uuid; null with `all`: the answers to the gaps of every agent. */
  agentId: string | null;
  /** uuids */
  sourceIds: readonly string[] | 'all';
};

/** Passages given to a reply when the agent does not set a number. */
export const DEFAULT_TOP_K = 5;
/**
 * Below this a passage is about something else; calibrated on
 * test/knowledge/passages/retrieval.yaml.
 */
export const DEFAULT_MIN_SCORE = 0.5;

/** The passages in `scope` that have most of a question, best first; all with a score above 0. */
export function searchKnowledge(
  db: Db,
  input: { scope: KnowledgeScope; query: string; limit: number },
): Promise<KnowledgeHit[]> {
  return searchPassages(db, { ...input, owners: () => ownersOf(db, input.scope) });
}

/**
 * Searches all of a namespace or, with an agent, what the live version of that agent sees.
 * @throws ApiError not_found (no such agent)
 */
export async function searchFor(
  { pool }: { pool: Pool },
  input: { namespace: string; agentId: string | null; query: string; limit: number },
): Promise<KnowledgeHit[]> {
  const { namespace, agentId, query, limit } = input;
  if (agentId === null) {
    const scope = { namespace, agentId, sourceIds: 'all' } as const;
    return searchKnowledge(pool, { scope, query, limit });
  }
  const live = found(await readLiveContent(pool, { namespace, id: agentId }), 'agent');
  const { knowledge } = live.content ?? {};
  const scope = await agentScope(pool, { namespace, agentId, knowledge });
  return searchKnowledge(pool, { scope, query, limit });
}

async function ownersOf(db: Db, scope: KnowledgeScope): Promise<string[]> {
  const { namespace, agentId, sourceIds } = scope;
  const ofAgent = agentId === null ? [] : [agentId];
  if (sourceIds !== 'all') return [...sourceIds, ...ofAgent];
  const sources = await listSourceIds(db, namespace);
  return [...sources, ...(agentId === null ? await listAnsweringAgents(db, namespace) : ofAgent)];
}

/**
 * What an agent sees: the sources its content names, if they exist in its namespace, and the
 * answers to its own gaps.
 */
export async function agentScope(
  db: Db,
  input: { namespace: string; agentId: string; knowledge: AgentContent['knowledge'] | undefined },
): Promise<KnowledgeScope> {
  const { namespace, agentId, knowledge } = input;
  const ids = (knowledge?.sourceIds ?? []).flatMap((id) => toUuid('ks', id) ?? []);
  const names = knowledge?.sourceNames ?? [];
  const sourceIds =
    ids.length + names.length === 0 ? [] : await findSourceIds(db, { namespace, ids, names });
  return { namespace, agentId, sourceIds };
}
