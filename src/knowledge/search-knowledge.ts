import { readLiveContent } from '../agents/agent-versions.sql.ts';
import type { AgentContent } from '../agents/agent.ts';
import { found } from '../errors.ts';
import { toUuid } from '../ids.ts';
import type { FairQueue } from '../platform/controller/fair-queue.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import type { SearchScope } from './passages/knowledge-search.sql.ts';
import { searchPassages, type KnowledgeHit } from './passages/search-passages.ts';
import { findSourceIds, selectSourceIds } from './sources/knowledge-sources.sql.ts';
import type { FindByMeaning, MeaningUse } from './vectors/find-by-meaning.ts';
import { searchBothWays } from './vectors/search-both-ways.ts';

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

/** How a process searches. */
export type SearchWays = {
  /** Absent: by words alone. */
  meaning?: FindByMeaning | undefined;
  /** Shares searches by words between namespaces: they keep PostgreSQL and this process busy. Absent: no turns. */
  searches?: FairQueue | undefined;
};

export type SearchInput = { scope: KnowledgeScope; query: string; limit: number };

/**
 * The passages in `scope` that have most of a question, best first; all with a score above 0.
 * @throws ApiError unavailable when too many searches wait
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
  const { namespace } = input.scope;
  const byWords = (limit: number): Promise<KnowledgeHit[]> => {
    const search = (): Promise<KnowledgeHit[]> => searchWords(db, { ...input, limit });
    return searches ? searches.run(namespace, search) : search();
  };
  if (meaning) return searchBothWays(db, { ...input, meaning, byWords });
  return { hits: await byWords(input.limit), meaning: 'none' };
}

function searchWords(db: Db, input: SearchInput): Promise<KnowledgeHit[]> {
  return searchPassages(db, { ...input, scope: passagesOf(input.scope) });
}

/**
 * Searches all of a namespace or, with an agent, what the live version of that agent sees: `given` says
 * which of it a reply would have, by the very search that a turn makes; null without an agent.
 * @throws ApiError not_found (no such agent), unavailable
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
  // How many are asked for has a part in which are looked at: so what a turn asks for is asked, too.
  const [all, own] = await Promise.all(
    [limit, topK].map((most) => searchTold(pool, { scope, query, limit: most }, ways)),
  );
  const isGiven = ({ score }: KnowledgeHit): boolean => score >= minScore;
  const given = new Set(own!.hits.filter(isGiven).map((hit) => hit.chunkId));
  return { ...all!, hits: all!.hits.map((hit) => ({ ...hit, given: given.has(hit.chunkId) })) };
}

/** Whose passages a search looks through. */
export function passagesOf({ namespace, agentId, sourceIds }: KnowledgeScope): SearchScope {
  const ofAgent = agentId === null ? [] : [agentId];
  const isAll = sourceIds === 'all';
  const owners = isAll ? ofAgent : [...sourceIds, ...ofAgent];
  const all = isAll && (agentId === null ? 'with answers' : true);
  return { namespace, owners, all };
}

/**
 * What an agent sees: the sources of its own namespace that its content names or selects, or all of them,
 * and the answers to its own gaps. One query at most; none for all.
 */
export async function agentScope(
  db: Db,
  input: { namespace: string; agentId: string; knowledge: AgentContent['knowledge'] | undefined },
): Promise<KnowledgeScope> {
  const { namespace, agentId, knowledge = {} } = input;
  return { namespace, agentId, sourceIds: await sourcesOf(db, namespace, knowledge) };
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
  return ids.length + names.length === 0 ? [] : findSourceIds(db, { namespace, ids, names });
}
