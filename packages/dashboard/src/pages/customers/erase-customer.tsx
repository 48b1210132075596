import { useEffect, useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ok, parley, type Schemas } from '../../data/parley.ts';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { counted, Progress } from '../../ui/figure.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { EventsChoice, type Events } from '../conversations/events-choice.tsx';

/** Polling interval in ms for a running erasure. */
const LOOK_MS = 500;

/** Starts the erasure of all data about a customer. */
export function EraseCustomer({
  customer: { user_id: userId, conversations, calls },
  onErasing,
}: {
  customer: Schemas['Customer'];
  /** Called with the ID of the erasure, which continues on the server. */
  onErasing: (erasureId: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [events, setEvents] = useState<Events>('deliver');
  const erase = async (): Promise<void> => {
    const params = { path: { user_id: userId }, query: { events } };
    onErasing((await ok(parley.DELETE('/v1/customers/{user_id}', { params }))).id);
  };
  return (
    <>
      <ActButton needs="write" onClick={() => setOpen(true)}>
        Erase everything
      </ActButton>
      <Confirm
        title={`Erase all data about ${userId}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        action="Erase everything"
        typed="erase"
        act={erase}
      >
        <p>
          This erases {counted(conversations.total + conversations.tests, 'conversation')} and{' '}
          {counted(calls.total, 'call')}, with all messages, numbers and metadata, from all stored
          data, including events. Conversations and calls in progress end first. This can’t be
          undone. Statistics are kept, and receivers keep the events they already received.
        </p>
        <EventsChoice events={events} onChange={setEvents} />
      </Confirm>
    </>
  );
}

/**
 * Returns the ID of this customer's running erasure, or null if there is none. The erasure may have been started before
 * this page was loaded, or by somebody else.
 */
export function useRunningErasure(userId: string): string | null {
  const { data } = useQuery({
    queryKey: ['customer-erasures', 'running'],
    queryFn: async ({ signal }) => {
      const query = { status: 'running', limit: 100 } as const;
      return (await ok(parley.GET('/v1/customer_erasures', { params: { query }, signal }))).data;
    },
  });
  return data?.find(({ user_id }) => user_id === userId)?.id ?? null;
}

/** Shows the progress of an erasure, and returns to the list of conversations when it is done. */
export function Erasing({ userId, erasureId }: { userId: string; erasureId: string }) {
  const toast = useToast();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery<Schemas['CustomerErasure']>({
    queryKey: ['customer-erasures', erasureId],
    refetchInterval: ({ state }) => (state.data?.status === 'done' ? false : LOOK_MS),
    queryFn: ({ signal }) => {
      const params = { path: { id: erasureId } };
      return ok(parley.GET('/v1/customer_erasures/{id}', { params, signal }));
    },
  });
  const isDone = data?.status === 'done';
  useEffect(() => {
    if (!isDone) return;
    toast({ text: `Erased all data about ${userId}` });
    queryClient.removeQueries({ queryKey: ['conversations', 'one'] });
    queryClient.removeQueries({ queryKey: ['conversations', 'transcript'] });
    queryClient.removeQueries({ queryKey: ['conversations', 'customer', userId] });
    void queryClient.invalidateQueries({ queryKey: ['conversations', 'list'] });
    void navigate({ to: '/conversations' });
  }, [isDone, userId, toast, navigate, queryClient]);
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  return (
    <section className="card stack-small" aria-label="Erasure">
      <p role="status">
        Erasing all data about {userId}… This continues on the server if you leave this page.
      </p>
      <Progress progress={data?.progress ?? { done: 0, total: 1 }} />
    </section>
  );
}
