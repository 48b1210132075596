import { useCallback, useState } from 'react';
import {
  keepPreviousData,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import type { ItemOf, ListPath } from '@parley/client';
import { ok, parley } from './parley.ts';
import type { Topic } from './topics.ts';

/** A paginated list from the API. More rows are loaded as the user scrolls. */
export type List<Item> = {
  rows: readonly Item[];
  /** True until the first page arrives. Meanwhile, the table shows a skeleton. */
  isLoading: boolean;
  error: unknown;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  retry: () => void;
};

type Loaded<Item> = { rows: Item[]; cursor: string | null };
type Page = { data: { id: string }[]; has_more: boolean; next_cursor: string | null };

export type Query = Record<string, string | number | boolean | undefined>;

const PAGE = 50;

/**
 * Loads a list page by page. After a live change, only the first page is read again and merged into the loaded rows. An
 * update therefore costs one request, however far the user has scrolled. `topic` selects the changes that refresh the
 * list (topics.ts).
 */
export function useList<Path extends ListPath>(
  topic: Topic,
  path: Path,
  parameters: {
    query?: Query;
    path?: Record<string, string>;
    enabled?: boolean;
    /**
     * Returns the polling interval in ms if the stream does not report changes to these rows, or false if no polling is
     * needed.
     */
    refreshMs?: (rows: readonly ItemOf<Path>[]) => number | false;
  } = {},
): List<ItemOf<Path>> {
  type Item = ItemOf<Path> & { id: string };
  const { query = {}, path: ids = {}, enabled = true, refreshMs } = parameters;
  const queryClient = useQueryClient();
  const key = [topic, 'list', path, ids, query];
  const [more, setMore] = useState<{ isLoading: boolean; error: unknown }>(NOTHING);

  const read = async (cursor: string | null, signal?: AbortSignal): Promise<Page> => {
    // One implementation serves all lists, so it uses a general type of `GET` instead of the type of each path.
    const get = parley.GET as unknown as (path: string, init: object) => Promise<Answer>;
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => isGiven(value)));
    const asked = { limit: PAGE, ...given, ...(cursor !== null && { cursor }) };
    return ok(get(path, { params: { query: asked, path: ids }, signal }));
  };

  const result = useQuery<Loaded<Item>>({
    queryKey: key,
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshMs?.(state.data?.rows ?? []) ?? false,
    queryFn: async ({ signal }) => {
      const head = await read(null, signal);
      return underHead(head, queryClient.getQueryData<Loaded<Item>>(key));
    },
  });

  const loaded = result.data;
  const cursor = loaded?.cursor ?? null;
  const keyText = JSON.stringify(key);
  const loadMore = useCallback(() => {
    if (cursor === null || more.isLoading) return;
    setMore({ isLoading: true, error: null });
    read(cursor).then(
      (page) => {
        queryClient.setQueryData<Loaded<Item>>(key, (old) => appended(old, page, cursor));
        setMore(NOTHING);
      },
      (error: unknown) => setMore({ isLoading: false, error }),
    );
    // eslint-disable-next-line react-hooks/exhaustive-deps -- keyText covers everything that read uses
  }, [cursor, more.isLoading, keyText]);

  return {
    rows: loaded?.rows ?? [],
    isLoading: result.isPending,
    error: result.error ?? more.error,
    hasMore: cursor !== null,
    isLoadingMore: more.isLoading,
    loadMore,
    retry: () => {
      setMore(NOTHING);
      void result.refetch();
    },
  };
}

/** Removes a deleted item from the loaded lists of a topic, before they are read again. */
export async function removeFromLists(
  queryClient: QueryClient,
  topic: Topic,
  id: string,
): Promise<void> {
  const lists = { queryKey: [topic, 'list'] };
  // Cancels running requests, because their responses may contain the deleted item.
  await queryClient.cancelQueries(lists);
  queryClient.setQueriesData<Loaded<{ id: string }>>(
    lists,
    (old) => old && { ...old, rows: old.rows.filter((row) => row.id !== id) },
  );
}

const NOTHING = { isLoading: false, error: null };

const TOTAL_REFRESH_MS = 15_000;
/** Highest count that the API reports. The list may have more items (contract/pagination.md#lists). */
export const TOTAL_MAX = 10_000;

/**
 * Returns the number of items in a list, or undefined if it is not known. Counting reads many rows, so the count is
 * refreshed at intervals and not after every event.
 */
export function useTotal(
  path: '/v1/conversations' | '/v1/escalations',
  query: Query,
): number | undefined {
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => isGiven(value)));
  const { data } = useQuery({
    queryKey: ['totals', path, given],
    refetchInterval: TOTAL_REFRESH_MS,
    queryFn: async ({ signal }) => {
      const asked = { ...given, total: true, limit: 1 };
      return (await ok(parley.GET(path, { params: { query: asked }, signal }))).total_count ?? null;
    },
  });
  return data ?? undefined;
}

type Answer = { data?: Page; error?: unknown; response: Response };

function isGiven(value: Query[string]): boolean {
  return value !== undefined && value !== '';
}

/**
 * Merges a new first page into the rows loaded earlier, if the last row of the page is among them. Otherwise, the list
 * restarts with the first page.
 */
function underHead<Item extends { id: string }>(
  head: Page,
  before: Loaded<Item> | undefined,
): Loaded<Item> {
  // The cast is safe, because the caller chooses `Item` to match the rows of the path.
  const rows = head.data as Item[];
  const next = head.has_more ? head.next_cursor : null;
  // A search can return an empty page even though more pages follow. The rows loaded before are still valid, so they
  // are kept.
  if (before && next !== null && rows.length === 0) return before;
  const last = rows.at(-1)?.id;
  const at = before?.rows.findIndex(({ id }) => id === last) ?? -1;
  if (!before || at < 0 || next === null) return { rows, cursor: next };
  return {
    rows: [...rows, ...before.rows.slice(at + 1)],
    cursor: before.rows.length > at + 1 ? before.cursor : next,
  };
}

function appended<Item extends { id: string }>(
  old: Loaded<Item> | undefined,
  page: Page,
  cursor: string,
): Loaded<Item> | undefined {
  // If another read has restarted the list in the meantime, this page no longer continues it.
  if (!old || old.cursor !== cursor) return old;
  const known = new Set(old.rows.map(({ id }) => id));
  const rows = (page.data as Item[]).filter(({ id }) => !known.has(id));
  return { rows: [...old.rows, ...rows], cursor: page.has_more ? page.next_cursor : null };
}
