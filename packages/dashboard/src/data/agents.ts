import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ok, parley, type Agent, type ItemOf } from './parley.ts';
import type { List } from './use-list.ts';

export type AgentVersion = ItemOf<'/v1/agents/{id}/versions'>;
export type AgentContent = AgentVersion['content'];
export type Activation = ItemOf<'/v1/agents/{id}/activations'>;

/** An agent and its ETag, which updates send as `If-Match`. */
export type Declared = { agent: Agent; etag: string };

/** Returns the agent ID from the current address. */
export function useAgentId(): string {
  const { agentId = '' } = useParams({ strict: false }) as { agentId?: string };
  return agentId;
}

export function useAgent(id: string) {
  return useQuery({
    queryKey: agentKey(id),
    enabled: id !== '',
    queryFn: ({ signal }) => readAgent(id, signal),
  });
}

/** Returns a function that puts a saved agent into the query cache, so that pages show it before it is read again. */
export function useTakeOver(): (written: Declared) => void {
  const queryClient = useQueryClient();
  return (written) => {
    queryClient.setQueryData<Declared>(agentKey(written.agent.id), written);
    void queryClient.invalidateQueries({ queryKey: ['agents'] });
  };
}

/** Loads agents for lists and suggestions: one page of the API, newest first. */
export function useAgentChoices() {
  return useQuery({
    queryKey: ['agents', 'choices'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: CHOICES_MAX } };
      return (await ok(parley.GET('/v1/agents', { params, signal }))).data;
    },
  });
}

const CHOICES_MAX = 100;

export function readAgent(id: string, signal?: AbortSignal): Promise<Declared> {
  const params = { path: { id } };
  return declared(parley.GET('/v1/agents/{id}', { params, ...(signal && { signal }) }));
}

export function agentKey(id: string) {
  return ['agents', 'one', id] as const;
}

type Answer = { data?: Agent; error?: unknown; response: Response };

/**
 * Returns the agent in a response, with its ETag.
 * @throws ParleyError
 */
export async function declared(answer: Promise<Answer>): Promise<Declared> {
  const given = await answer;
  // The body contains the agent, whether the status is 200, 201 or 202.
  const agent = await ok(given);
  return { agent, etag: given.response.headers.get('etag') ?? '*' };
}

/** Reads a version once, because versions never change. Makes no request if `version` is null. */
export function useVersion(id: string, version: number | null) {
  return useQuery({
    queryKey: ['versions', id, version],
    enabled: version !== null,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const params = { path: { id, version: version ?? 0 } };
      return ok(parley.GET('/v1/agents/{id}/versions/{version}', { params, signal }));
    },
  });
}

/** Reads the changes between two versions once, because versions never change. */
export function useVersionDiff(id: string, from: number | null, to: number | null) {
  return useQuery({
    queryKey: ['versions', id, 'diff', from, to],
    enabled: from !== null && to !== null && from !== to,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const params = { path: { id, from: from ?? 0, to: to ?? 0 } };
      const path = '/v1/agents/{id}/versions/{from}/diff/{to}';
      return (await ok(parley.GET(path, { params, signal }))).changes;
    },
  });
}

type HistoryPath = '/v1/agents/{id}/versions' | '/v1/agents/{id}/activations';

/**
 * Lists versions or activations, newest first. They have no IDs, so the position of a row in the list becomes its `id`.
 */
export function useHistory<Path extends HistoryPath>(
  path: Path,
  id: string,
): List<ItemOf<Path> & { id: string }> {
  type Page = { data: ItemOf<Path>[]; has_more: boolean; next_cursor: string | null };
  const result = useInfiniteQuery({
    queryKey: ['agents', 'history', path, id],
    initialPageParam: null as string | null,
    getNextPageParam: ({ has_more: hasMore, next_cursor: cursor }: Page) =>
      hasMore ? cursor : undefined,
    queryFn: async ({ signal, pageParam }) => {
      const get = parley.GET as unknown as (path: string, init: object) => Promise<HistoryAnswer>;
      const query = { limit: 50, ...(pageParam !== null && { cursor: pageParam }) };
      return (await ok(get(path, { params: { path: { id }, query }, signal }))) as Page;
    },
  });
  const items = result.data?.pages.flatMap(({ data }) => data) ?? [];
  return {
    // Positions are counted from the last loaded item, so that a new item at the top leaves the other IDs unchanged.
    rows: items.map((item, at) => Object.assign({ id: String(at - items.length) }, item)),
    isLoading: result.isPending,
    error: result.error,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
  };
}

/** Returns the recalled versions among the newest versions of the agent. Such a version never goes live again. */
export function useRecalledVersions(id: string): ReadonlySet<number> {
  const { rows } = useHistory('/v1/agents/{id}/versions', id);
  return new Set(rows.filter((row) => row.recalled_at !== null).map((row) => row.version));
}

type HistoryAnswer = { data?: object; error?: unknown; response: Response };

export function agentName({ name, display_name: shown }: Pick<Agent, 'name' | 'display_name'>) {
  return shown ?? name;
}

/**
 * Returns the latest version if it is a draft, and null otherwise. A draft is an unpublished version of an agent with
 * the policy `manual`. A version that a rollback has just replaced is not a draft.
 */
export function waitingVersion(agent: Agent): number | null {
  const { latest_version: latest, active_version: active, activation: last } = agent;
  const published = last?.action === 'rolled_back' ? (last.from_version ?? 0) : (active ?? 0);
  return agent.publish_policy === 'manual' && latest !== null && latest > published ? latest : null;
}

/**
 * Returns true if a pin prevents new versions from going live automatically. Returns false under the policy `manual`:
 * new versions never go live automatically there, and every publication sets a pin.
 */
export function isPinned(agent: Agent): boolean {
  return agent.publish_policy !== 'manual' && agent.pinned_version !== null;
}
