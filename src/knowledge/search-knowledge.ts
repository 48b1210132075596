import { readLiveContent } from '../agents/agent-versions.sql.ts';
import type { AgentContent } from '../agents/agent.ts';
import { found } from '../errors.ts';
import { toUuid } from '../ids.ts';
import type { FairQueue } from '../platform/controller/fair-queue.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import type { SearchScope } from './passages/knowledge-search.sql.ts';
import { searchByWords, type KnowledgeHit } from './passages/search-passages.ts';
import { findSourceIds, selectSourceIds } from './sources/knowledge-sources.sql.ts';
import type { FindByMeaning, MeaningUse } from './vectors/find-by-meaning.ts';
import { searchBothWays } from './vectors/search-both-ways.ts';

/**
 * Scope of a search: sources in a namespace, and answers to an agent's gaps (questions that the agent could not
 * answer).
 */
export type KnowledgeScope = {
  namespace: string;
  /**
   * Id of the agent (UUID). If it is `null` and `sourceIds` is `all`, the scope includes the answers to the gaps of
   * every agent.
   */
  agentId: string | null;
  /** Ids of the sources (UUIDs), or `all`. */
  sourceIds: readonly string[] | 'all';
};

/** Number of passages that a reply uses if the agent does not set a number. */
export const DEFAULT_TOP_K = 5;
/**
 * Minimum score at which a reply uses a passage if the agent does not set one. Passages with a lower score are usually
 * about another subject. Calibrated on test/knowledge/passages/retrieval.yaml.
 */
export const DEFAULT_MIN_SCORE = 0.5;

/** The search methods that are available in a process. */
export type SearchWays = {
  /** Search by meaning. Absent if the process searches only by words. */
  meaning?: FindByMeaning | undefined;
  /**
   * Queue that shares word searches fairly between namespaces. Word searches are limited because they load PostgreSQL
   * and this process. Absent if there is no limit.
   */
  searches?: FairQueue | undefined;
};

export type SearchInput = { scope: KnowledgeScope; query: string; limit: number };

/**
 * Returns the passages in `scope` that match a question best, best first. All have a score above 0.
 * @throws ApiError unavailable if too many searches are waiting
 */
export async function searchKnowledge(
  db: Db,
  input: SearchInput,
  ways: SearchWays = {},
): Promise<KnowledgeHit[]> {
  return (await searchTold(db, input, ways)).hits;
}

async function searchTold(
  db: Db,
  input: SearchInput,
  { meaning, searches }: SearchWays,
): Promise<{ hits: KnowledgeHit[]; meaning: MeaningUse }> {
  const byWords = searchByWords(db, { ...input, scope: passagesOf(input.scope) }, searches);
  if (meaning) return searchBothWays(db, { ...input, meaning, byWords });
  return { hits: await byWords(input.limit), meaning: 'none' };
}

/**
 * Searches a whole namespace or, with an agent, the content that the agent's live version can use. For each hit,
 * `given` says whether a reply of the agent would use the passage; it is `null` without an agent. A second search, with
 * the limit that replies use, determines `given`.
 * @throws ApiError not_found if the agent does not exist; unavailable
 */
export async function searchFor(
  { pool, ...ways }: { pool: Pool } & SearchWays,
  input: { namespace: string; agentId: string | null; query: string; limit: number },
): Promise<{ hits: (KnowledgeHit & { given: boolean | null })[]; meaning: MeaningUse }> {
  const { namespace, agentId, query, limit } = input;
  if (agentId === null) {
    const scope = { namespace, agentId, sourceIds: 'all' } as const;
    const found = await searchTold(pool, { scope, query, limit }, ways);
    return { ...found, hits: found.hits.map((hit) => ({ ...hit, given: null })) };
  }
  const live = found(await readLiveContent(pool, { namespace, id: agentId }), 'agent');
  const { knowledge } = live.content ?? {};
  const scope = await agentScope(pool, { namespace, agentId, knowledge });
  const { topK = DEFAULT_TOP_K, minScore = DEFAULT_MIN_SCORE } = knowledge ?? {};
  // Searches twice, with the limit of this request and with the limit that replies use, because the limit affects which
  // passages are compared.
  const [all, own] = await Promise.all(
    [limit, topK].map((most) => searchTold(pool, { scope, query, limit: most }, ways)),
  );
  const isGiven = ({ score }: KnowledgeHit): boolean => score >= minScore;
  const given = new Set(own!.hits.filter(isGiven).map((hit) => hit.chunkId));
  return { ...all!, hits: all!.hits.map((hit) => ({ ...hit, given: given.has(hit.chunkId) })) };
}

/** Converts the scope of a search to the owners of its passages: sources and agents. */
export function passagesOf({ namespace, agentId, sourceIds }: KnowledgeScope): SearchScope {
  const ofAgent = agentId === null ? [] : [agentId];
  const isAll = sourceIds === 'all';
  const owners = isAll ? ofAgent : [...sourceIds, ...ofAgent];
  const all = isAll && (agentId === null ? 'with answers' : true);
  return { namespace, owners, all };
}

/**
 * Returns the content that an agent can search: the answers to its own gaps, and the sources that it names or selects,
 * or all sources in its namespace if it sets `all`. Makes a query only for names and for a selector. Ids need none,
 * because a search finds only passages of its own namespace, and the passages of a source are deleted with it.
 */
export async function agentScope(
  db: Db,
  input: { namespace: string; agentId: string; knowledge: AgentContent['knowledge'] | undefined },
): Promise<KnowledgeScope> {
  const { namespace, agentId, knowledge = {} } = input;
  return { namespace, agentId, sourceIds: await sourcesOf(db, namespace, knowledge) };
}

/** Returns true if the knowledge settings of an agent name or select any source. */
export function hasSources(knowledge: AgentContent['knowledge']): boolean {
  const { all = false, selector, sourceIds = [], sourceNames = [] } = knowledge ?? {};
  return all || selector !== undefined || sourceIds.length + sourceNames.length > 0;
}

async function sourcesOf(
  db: Db,
  namespace: string,
  {
    all,
    selector,
    sourceIds = [],
    sourceNames: names = [],
  }: NonNullable<AgentContent['knowledge']>,
): Promise<KnowledgeScope['sourceIds']> {
  if (all) return 'all';
  if (selector) return selectSourceIds(db, { namespace, metadata: selector.matchMetadata });
  const ids = sourceIds.flatMap((id) => toUuid('ks', id) ?? []);
  return names.length === 0 ? ids : findSourceIds(db, { namespace, ids, names });
}
