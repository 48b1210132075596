import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { ok, parley } from '../../data/parley.ts';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { count } from '../../ui/figure.tsx';
import { lastFilters } from '../../data/last-filters.ts';
import { removeFromLists } from '../../data/use-list.ts';
import { useToast } from '../../ui/toast.tsx';
import { EventsChoice, type Events } from './events-choice.tsx';

/**
 * Erases the text of a conversation everywhere it is stored. Statistics are kept, and receivers keep the events that
 * they already received.
 */
export function EraseConversation({ id, isOver }: { id: string; isOver: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [events, setEvents] = useState<Events>('deliver');
  const toast = useToast();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const erase = async (): Promise<void> => {
    const params = { path: { id }, query: { events } };
    const erased = await ok(parley.DELETE('/v1/conversations/{id}', { params }));
    for (const topic of ['conversations', 'search'] as const) {
      await removeFromLists(queryClient, topic, id);
    }
    toast({ text: doneText(erased?.canceled_count ?? 0) });
    // Keeps the filters of the list, because all conversations of a user are often erased one after another.
    await navigate({ to: '/conversations', search: lastFilters('/conversations') });
    queryClient.removeQueries({ queryKey: ['conversations', 'one', id] });
    queryClient.removeQueries({ queryKey: ['conversations', 'transcript', id] });
    void queryClient.invalidateQueries({ queryKey: ['conversations', 'list'] });
  };
  return (
    <>
      <ActButton needs="write" onClick={() => setOpen(true)}>
        Erase
      </ActButton>
      <Confirm
        title="Erase this conversation?"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        action="Erase the conversation"
        typed="erase"
        act={erase}
      >
        <p>
          {isOver ? '' : 'The conversation ends first. '}All its messages, its user and its metadata
          are removed from all stored data, including events. This can’t be undone. Statistics are
          kept, and receivers keep the events they already received.
        </p>
        <EventsChoice events={events} onChange={setEvents} />
      </Confirm>
    </>
  );
}

function doneText(canceled: number): string {
  if (canceled === 0) return 'Erased the conversation';
  return `Erased the conversation; ${count(canceled)} ${canceled === 1 ? 'delivery was' : 'deliveries were'} canceled`;
}
