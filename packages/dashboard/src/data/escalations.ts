import { useEffect } from 'react';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCan, useMe } from './me.ts';
import { ok, parley, type ItemOf } from './parley.ts';
import type { List } from './use-list.ts';

export type Escalation = ItemOf<'/v1/escalations'>;
export type Person = NonNullable<Escalation['accepted_by']>;

const WAITING_KEY = ['escalations', 'waiting'] as const;
/** Maximum number of waiting escalations that the inbox lists and the badge counts. */
const WAITING_MAX = 500;

/** Lists the escalations that nobody has accepted, longest waiting first. The badge and the inbox share this list. */
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

/** Returns the waiting escalations, or undefined until they are loaded. */
export function useWaiting(): readonly Escalation[] | undefined {
  const { rows, isLoading } = useWaitingList();
  return isLoading ? undefined : rows;
}

async function readWaiting(): Promise<Escalation[]> {
  const found: Escalation[] = [];
  const query = { status: 'requested', order: 'oldest' } as const;
  for await (const one of parley.list('/v1/escalations', { query })) {
    found.push(one);
    if (found.length === WAITING_MAX) break;
  }
  return found;
}

const MISSED = { missed: true, limit: 100 } as const;
const MISSED_REFRESH_MS = 30_000;

/**
 * Loads up to 100 escalations, newest first, that nobody accepted in time and nobody has reviewed since. No event
 * reports a review, so the list is polled.
 */
export function useMissed(): UseQueryResult<Escalation[]> {
  return useQuery({
    queryKey: ['escalations', 'missed'],
    enabled: useCan('read'),
    refetchInterval: MISSED_REFRESH_MS,
    queryFn: async ({ signal }) =>
      (await ok(parley.GET('/v1/escalations', { params: { query: MISSED }, signal }))).data,
  });
}

/** Marks an escalation that nobody accepted in time as reviewed when somebody opens it. */
export function useReview({ id, missed: isMissed }: Escalation): void {
  const queryClient = useQueryClient();
  const isUnseen = useCan('write') && isMissed;
  useEffect(() => {
    if (!isUnseen) return;
    const params = { path: { id } };
    // If the request fails, the escalation stays missed until somebody opens it again.
    void ok(parley.POST('/v1/escalations/{id}/review', { params })).then(
      (reviewed) => {
        queryClient.setQueryData(escalationKey(id), reviewed);
        void queryClient.invalidateQueries({ queryKey: ['escalations', 'missed'] });
      },
      () => undefined,
    );
  }, [isUnseen, id, queryClient]);
}

export function escalationKey(id: string): readonly unknown[] {
  return ['escalations', 'one', id];
}

/** @param id null to read no escalation */
export function useEscalation(id: string | null): UseQueryResult<Escalation> {
  return useQuery({
    queryKey: escalationKey(id ?? ''),
    enabled: id !== null,
    queryFn: ({ signal }) => readEscalation(id ?? '', signal),
  });
}

export function readEscalation(id: string, signal?: AbortSignal): Promise<Escalation> {
  const params = { params: { path: { id } }, ...(signal && { signal }) };
  return ok(parley.GET('/v1/escalations/{id}', params));
}

/** Returns the signed-in person as users see them. Parley has no user accounts, so the name is also the ID. */
export function useSelf(): Person {
  const { name, actor } = useMe();
  const shown = name ?? actor;
  return { id: shown, name: shown };
}

/** Returns what the inbox shows as the user's name: the user ID, or a placeholder if the ID is not known. */
export function customerOf({ user_id: userId }: Escalation): string {
  return userId ?? 'Unknown customer';
}

/** Returns the user's last messages before the escalation, in one line, or the summary if there are none. */
export function requestOf({ user_messages: said, summary }: Escalation): string {
  return said.length > 0 ? said.join(' · ') : summary;
}

/** Formats a reason: `user_request` becomes `User request`. In free text, only the first letter is capitalized. */
export function reasonText(reason: string): string {
  if (reason === '') return 'No reason given';
  if (reason === 'api') return 'Requested by the API';
  const words = /^[a-z]+(_[a-z]+)*$/.test(reason) ? reason.replaceAll('_', ' ') : reason;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
