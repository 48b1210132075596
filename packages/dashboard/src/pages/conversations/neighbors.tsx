import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { lastFilters } from '../../data/last-filters.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { useConversations } from './use-conversations.ts';

/**
 * Links to the previous and the next row of the conversation list, as it was last filtered. The keys k and j do the
 * same. Shows nothing if the conversation is not among the loaded rows of the list.
 */
export function Neighbors({ id }: { id: string }) {
  const { rows, hasMore, isLoadingMore, loadMore, error } = useConversations(
    lastFilters('/conversations'),
  );
  const navigate = useNavigate();
  const at = rows.findIndex((row) => row.id === id);
  const [before, after] = at < 0 ? [] : [rows[at - 1]?.id, rows[at + 1]?.id];
  const needsMore = at >= 0 && after === undefined && hasMore && !isLoadingMore && !error;
  useEffect(() => {
    if (needsMore) loadMore();
  }, [needsMore, loadMore]);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const target = { k: before, j: after }[event.key];
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, textarea, select, dialog'))
      return;
    void navigate({ to: `/conversations/${target}` });
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  if (at < 0) return null;
  return (
    <nav className="row" aria-label="Neighboring conversations">
      <Neighbor id={before} name="Previous" />
      <Neighbor id={after} name="Next" />
    </nav>
  );
}

function Neighbor({ id, name }: { id: string | undefined; name: 'Previous' | 'Next' }) {
  const key = name === 'Previous' ? 'k' : 'j';
  if (id === undefined) return null;
  return (
    <ButtonLink kind="quiet" to={`/conversations/${id}`} aria-keyshortcuts={key}>
      {name}
    </ButtonLink>
  );
}
