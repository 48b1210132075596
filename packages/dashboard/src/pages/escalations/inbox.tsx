import { useState } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCan } from '../../data/me.ts';
import { useFilters } from '../../ui/filters.tsx';
import { AlertChoice } from './alert-choice.tsx';
import { useAccept } from './acts.ts';
import { InboxTabs } from './inbox-tabs.tsx';
import { EscalationView } from './escalation-view.tsx';
import { EscalationList } from './escalation-list.tsx';
import { shownOf } from './shown.ts';
import './inbox.css';

/**
 * Shows the list of escalations and the selected one: in two panes on wide screens, and one after the other on narrow
 * screens.
 */
export function Inbox({ selectedId }: { selectedId: string | null }) {
  const [search] = useFilters();
  const navigate = useNavigate();
  const canWrite = useCan('write');
  /** The escalation that was just accepted here. Its reply box gets the focus. */
  const [acceptedId, setAcceptedId] = useState<string | null>(null);
  const onTaken = (id: string): void => {
    setAcceptedId(id);
    if (id !== selectedId) void navigate({ to: `/escalations/${id}`, search } as never);
  };
  const accepting = useAccept(onTaken);
  const acceptByKey = (event: React.KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'a' || event.ctrlKey || event.metaKey || event.altKey || !canWrite) return;
    const target = event.target as HTMLElement;
    if (target.closest('input, textarea, select, dialog')) return;
    const item = target.closest<HTMLElement>('[data-escalation]');
    const id = item?.dataset['escalation'] ?? (target.closest('.escalation') ? selectedId : null);
    if (id === null || accepting.isPending) return;
    event.preventDefault();
    accepting.mutate(id);
  };

  return (
    <div
      className={selectedId === null ? 'inbox inbox-list-only' : 'inbox inbox-one'}
      onKeyDown={acceptByKey}
    >
      <div className="inbox-side">
        <div className="spread">
          <InboxTabs />
          <AlertChoice />
        </div>
        <EscalationList shown={shownOf(search)} selectedId={selectedId} />
        <p className="inbox-keys small muted">
          <kbd>↓</kbd> <kbd>↑</kbd> or <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens,{' '}
          <kbd>a</kbd> accepts
        </p>
      </div>
      {selectedId === null ? (
        <p className="inbox-nothing muted">Choose an escalation to read it.</p>
      ) : (
        <section className="escalation" aria-label="Escalation">
          <Link to="/escalations" search={search} className="escalation-back small">
            ← All escalations
          </Link>
          <EscalationView
            key={selectedId}
            id={selectedId}
            accepting={accepting}
            takesFocus={acceptedId === selectedId}
            onTaken={onTaken}
          />
        </section>
      )}
    </div>
  );
}
