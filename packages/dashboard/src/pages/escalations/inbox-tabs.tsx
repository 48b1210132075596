import { Link } from '@tanstack/react-router';
import { useMissed, useWaiting } from '../../data/escalations.ts';
import { useFilters } from '../../ui/filters.tsx';
import { useMine } from './escalation-list.tsx';
import { SHOWN, shownOf, type Shown } from './shown.ts';

const NAMES: Record<Shown, string> = {
  waiting: 'Waiting',
  mine: 'Mine',
  missed: 'Missed',
  all: 'All',
};

export function InboxTabs() {
  const [search] = useFilters();
  const shown = shownOf(search);
  const mine = useMine();
  const counts: Record<Shown, number | undefined> = {
    waiting: useWaiting()?.length,
    mine: mine.rows.length,
    missed: useMissed().data?.length,
    all: undefined,
  };
  return (
    <nav aria-label="Escalation lists" className="tabs">
      {SHOWN.map((one) => (
        <Link
          key={one}
          to="."
          search={(one === 'waiting' ? {} : { show: one }) as never}
          // Compares the whole address, so that exactly one of the tabs is active.
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={one === shown ? 'page' : undefined}
        >
          {NAMES[one]}
          {counts[one] ? <span className="numeric"> {counts[one]}</span> : null}
        </Link>
      ))}
    </nav>
  );
}
