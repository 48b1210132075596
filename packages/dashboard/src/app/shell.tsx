import { useEffect } from 'react';
import { Link, Outlet } from '@tanstack/react-router';
import { Account } from './account.tsx';
import { useLiveState } from '../data/live-context.ts';
import { usePresence } from '../data/presence.ts';
import { useMe } from '../data/me.ts';
import { keepFocus } from '../ui/keep-focus.ts';
import { WaitingBadge } from './waiting-badge.tsx';

const PLACES = [
  { to: '/', name: 'Overview' },
  { to: '/agents', name: 'Agents' },
  { to: '/conversations', name: 'Conversations' },
  { to: '/escalations', name: 'Escalations' },
  { to: '/knowledge', name: 'Knowledge' },
  { to: '/webhooks', name: 'Webhooks' },
  { to: '/calls', name: 'Calls' },
  { to: '/settings', name: 'Settings' },
] as const;

/** The frame around every page: navigation, live indicator and account. */
export function Shell() {
  const { namespace } = useMe();
  useEffect(keepFocus, []);
  return (
    <div className="shell">
      <a href="#main" className="skip button button-primary">
        Skip to content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          Parley
        </Link>
        <span className="bar-namespace muted small" title="The namespace of your API key">
          {namespace}
        </span>
        <LiveSign />
        <Account />
      </header>
      <nav className="places" aria-label="Parley">
        {PLACES.map(({ to, name }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {name}
            {to === '/escalations' ? <WaitingBadge /> : null}
          </Link>
        ))}
      </nav>
      <Outlet />
    </div>
  );
}

const LIVE = {
  live: 'This page updates live',
  connecting: 'Connecting to the event stream…',
  polling: 'The event stream is unavailable. This page refreshes every 5 seconds.',
} as const;

function LiveSign() {
  const state = useLiveState();
  usePresence();
  return (
    <span className={`live live-${state}`} title={LIVE[state]} role="status">
      {state === 'live' ? 'Live' : state === 'polling' ? 'Polling' : 'Connecting'}
    </span>
  );
}
