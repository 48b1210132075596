import { useQuery, type QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { ok, parley, type BodyOf, type ItemOf } from './parley.ts';
import { SELDOM } from './stats.ts';

export type Source = ItemOf<'/v1/knowledge/sources'>;
export type Gap = ItemOf<'/v1/knowledge/gaps'>;
export type Hit = ItemOf<'/v1/knowledge/search'>;

/** A source with its text and its ETag, which updates send as `If-Match`. */
export type TaggedSource = { source: Source; etag: string };

export function sourceKey(id: string): readonly unknown[] {
  return ['sources', 'one', id];
}

export function useSource(id: string): UseQueryResult<TaggedSource> {
  return useQuery({
    queryKey: sourceKey(id),
    queryFn: ({ signal }) => readSource(id, signal),
    // A running sync is polled, because no event reports its progress or its cancellation.
    refetchInterval: ({ state }) => (state.data?.source.sync ? SYNC_LOOK_MS : false),
  });
}

/** Interval in ms at which a running sync is polled. */
export const SYNC_LOOK_MS = 1_000;

export function readSource(id: string, signal?: AbortSignal): Promise<TaggedSource> {
  const params = { path: { id } };
  return tagged(parley.GET('/v1/knowledge/sources/{id}', { params, ...(signal && { signal }) }));
}

/** A source to create. If it has no name, the API chooses one. */
export type NewSource = BodyOf<'/v1/knowledge/sources', 'post'>;

/** Maximum time in ms to wait until a new source can be read. */
const THERE_MS = 60_000;
const CHECK_MS = 500;

/**
 * Creates a source and waits until it can be read and given content. For a moment after a 202 response, the API still
 * returns 404 for the source.
 * @throws ParleyError
 */
export async function createSource(body: NewSource): Promise<Source> {
  const created = await parley.POST('/v1/knowledge/sources', { body });
  const source = await ok(created);
  const params = { path: { id: source.id } };
  const endMs = performance.now() + THERE_MS;
  let { status } = created.response;
  while ((status === 202 || status === 404) && performance.now() < endMs) {
    if (status === 404) await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    ({ status } = (await parley.GET('/v1/knowledge/sources/{id}', { params })).response);
  }
  return source;
}

type Answer = { data?: Source; error?: unknown; response: Response };

/**
 * Returns the source in a response, with its ETag.
 * @throws ParleyError
 */
export async function tagged(answer: Promise<Answer>): Promise<TaggedSource> {
  const given = await answer;
  // The body contains the source, whether the status is 200, 201 or 202.
  const source = await ok(given);
  return { source, etag: given.response.headers.get('etag') ?? '*' };
}

const GAPS_MAX = 1_000;

export type Gaps = { gaps: readonly Gap[]; hasMore: boolean };

/**
 * Lists the gaps with the given status, most frequently asked first. A gap is a question that an agent could not
 * answer. Loads up to 1,000 gaps instead of one page, because callers group them by question.
 */
export function useGaps(
  status: Gap['status'],
  { agentId, days }: { agentId?: string | undefined; days?: number | undefined } = {},
): UseQueryResult<Gaps> {
  return useQuery({
    queryKey: ['gaps', 'all', status, agentId ?? '', days ?? 0],
    meta: SELDOM,
    queryFn: async () => {
      const gaps: Gap[] = [];
      const since = Math.floor(Date.now() / 1_000) - (days ?? 0) * 86_400;
      const query = {
        status,
        sort: 'count' as const,
        ...(agentId && { agent_id: agentId }),
        ...(days !== undefined && { asked_after: since }),
      };
      for await (const gap of parley.list('/v1/knowledge/gaps', { query })) {
        if (gaps.length === GAPS_MAX) return { gaps, hasMore: true };
        gaps.push(gap);
      }
      return { gaps, hasMore: false };
    },
  });
}

export function gapKey(id: string): readonly unknown[] {
  return ['gaps', 'one', id];
}

/** A gap, the wordings in which users asked it, and the passages that were closest when it was first asked. */
export type GapDetail = Awaited<ReturnType<typeof readGap>>;

export function useGap(id: string): UseQueryResult<GapDetail> {
  return useQuery({
    queryKey: gapKey(id),
    meta: SELDOM,
    queryFn: ({ signal }) => readGap(id, signal),
  });
}

export function readGap(id: string, signal?: AbortSignal) {
  const params = { path: { id } };
  return ok(parley.GET('/v1/knowledge/gaps/{id}', { params, ...(signal && { signal }) }));
}

/** Checks whether the agent can answer each wording of the gap now. */
export function useGapCheck(id: string) {
  return useQuery({
    queryKey: ['gaps', 'check', id],
    meta: SELDOM,
    queryFn: ({ signal }) => {
      const params = { path: { id } };
      return ok(parley.GET('/v1/knowledge/gaps/{id}/check', { params, signal }));
    },
  });
}

/** Puts an updated gap into the query cache, and refreshes the lists of gaps and the search results. */
export function showGap(queryClient: QueryClient, gap: GapDetail): void {
  queryClient.setQueryData(gapKey(gap.id), gap);
  void queryClient.invalidateQueries({ queryKey: ['gaps'] });
  void queryClient.invalidateQueries({ queryKey: ['search'] });
}

/**
 * Searches the passages for a question and returns them, best first. If an agent is given, searches only the passages
 * that this agent can use now.
 */
export function useHits(
  question: string,
  { agentId, limit = 10 }: { agentId?: string | undefined; limit?: number },
): UseQueryResult<readonly Hit[]> {
  return useQuery({
    queryKey: ['search', question, agentId ?? '', limit],
    enabled: question !== '',
    queryFn: ({ signal }) => search({ question, agentId, limit, signal }),
  });
}

/** Maximum number of characters in a question that the API accepts. Longer questions are cut off. */
export const QUESTION_MAX = 1_000;

async function search(asked: {
  question: string;
  agentId: string | undefined;
  limit: number;
  signal: AbortSignal;
}): Promise<readonly Hit[]> {
  const { question, agentId, limit, signal } = asked;
  const q = question.slice(0, QUESTION_MAX);
  const query = { q, limit, ...(agentId && { agent_id: agentId }) };
  return (await ok(parley.GET('/v1/knowledge/search', { params: { query }, signal }))).data;
}

/**
 * Settings that determine which passages an agent answers from: the first `topK` passages whose score is at least
 * `minScore`.
 */
export type Answering = { minScore: number; topK: number; version: number | null };

/** Values for a version that does not set them (contract/agents.md#knowledge; docs/knowledge.md). */
const DEFAULTS = { minScore: 0.5, topK: 5 };

/**
 * Returns the settings of the agent's live version. Returns the defaults if there is no agent or no live version, and
 * while the settings load.
 */
export function useAnswering(agentId: string | undefined): Answering {
  const { data } = useQuery({
    queryKey: ['agents', 'answering', agentId],
    enabled: Boolean(agentId),
    queryFn: async ({ signal }) => readAnswering(agentId ?? '', signal),
  });
  return data ?? { ...DEFAULTS, version: null };
}

async function readAnswering(id: string, signal: AbortSignal): Promise<Answering> {
  const agent = await ok(parley.GET('/v1/agents/{id}', { params: { path: { id } }, signal }));
  const version = agent.active_version;
  if (version === null) return { ...DEFAULTS, version };
  const params = { path: { id, version } };
  const { content } = await ok(
    parley.GET('/v1/agents/{id}/versions/{version}', { params, signal }),
  );
  const { min_score: minScore, top_k: topK } = content.knowledge ?? {};
  return { minScore: minScore ?? DEFAULTS.minScore, topK: topK ?? DEFAULTS.topK, version };
}

/**
 * Returns true if the agent would answer from this passage, which is at position `rank` of the results (0 is the best).
 */
export function isUsed({ minScore, topK }: Answering, hit: Hit, rank: number): boolean {
  return hit.score >= minScore && rank < topK;
}
