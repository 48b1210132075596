import { useEffect } from 'react';
import { useWaiting } from '../data/escalations.ts';
import { setTitleCount } from '../ui/title.ts';
import { useWaitingAlerts } from './waiting-alerts.ts';

const SHOWN_MAX = 99;

/** Shows the number of waiting escalations in the navigation and in the tab title. */
export function WaitingBadge() {
  const waiting = useWaiting();
  const count = waiting?.length ?? 0;
  useEffect(() => setTitleCount(count), [count]);
  useWaitingAlerts(waiting);
  if (count === 0) return null;
  const text = count > SHOWN_MAX ? `${SHOWN_MAX}+` : String(count);
  return (
    <span className="badge">
      <span aria-hidden="true">{text}</span>
      <span className="unseen">, {text} waiting</span>
    </span>
  );
}
