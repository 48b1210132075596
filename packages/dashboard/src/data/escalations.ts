import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCan, useMe } from './me.ts';
import { ok, parley, type ItemOf } from './parley.ts';
import type { List } from './use-list.ts';

export type Escalation = ItemOf<'/v1/escalations'>;
export type Person = NonNullable<Escalation['accepted_by']>;

const WAITING_KEY = ['escalations', 'waiting'] as const;
/** So many are read of those who wait; who has more of them has another problem. */
const WAITING_MAX = 500;

/** Those nobody has accepted, the longest waiting first: of the badge and of the inbox alike. */
export function useWaitingList(): List<Escalation> {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: WAITING_KEY,
    enabled: useCan('read'),
    queryFn: readWaiting,
  });
  return {
    rows: data ?? [],
    isLoading: isPending,
    error,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => undefined,
    retry: () => void refetch(),
  };
}

/** The same, where only those matter that are known. */
export function useWaiting(): readonly Escalation[] | undefined {
  const { rows, isLoading } = useWaitingList();
  return isLoading ? undefined : rows;
}

async function readWaiting(): Promise<Escalation[]> {
  const found: Escalation[] = [];
  for await (const one of parley.list('/v1/escalations', { query: { status: 'requested' } })) {
    found.push(one);
    if (found.length === WAITING_MAX) break;
  }
  return found.toReversed();
}

export function escalationKey(id: string): readonly unknown[] {
  return ['escalations', 'one', id];
}

export function useEscalation(id: string): UseQueryResult<Escalation> {
  return useQuery({
    queryKey: escalationKey(id),
    queryFn: ({ signal }) => readEscalation(id, signal),
  });
}

export function readEscalation(id: string, signal?: AbortSignal): Promise<Escalation> {
  const params = { params: { path: { id } }, ...(signal && { signal }) };
  return ok(parley.GET('/v1/escalations/{id}', params));
}

/** Who this is to the users that are talked with: until there are accounts, a name. */
export function useSelf(): Person {
  const { name, actor } = useMe();
  const shown = name ?? actor;
  return { id: shown, name: shown };
}
