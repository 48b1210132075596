import { useEffect, useId, useRef } from 'react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Account } from './account.tsx';
import { useLiveState } from '../data/live-context.ts';
import { usePresence } from '../data/presence.ts';
import { useMe } from '../data/me.ts';
import { keepFocus } from '../ui/keep-focus.ts';
import { showCurrent } from '../ui/page.tsx';
import { Icon, Mark, type IconName } from './icons.tsx';
import { WaitingBadge } from './waiting-badge.tsx';

type Place = { to: string; name: string; icon: IconName };

/** Navigation items, grouped by type of work. */
const GROUPS: readonly { name: string | null; places: readonly Place[] }[] = [
  { name: null, places: [{ to: '/', name: 'Overview', icon: 'overview' }] },
  {
    name: 'Support',
    places: [
      { to: '/conversations', name: 'Conversations', icon: 'conversations' },
      { to: '/escalations', name: 'Escalations', icon: 'escalations' },
      { to: '/calls', name: 'Calls', icon: 'calls' },
    ],
  },
  {
    name: 'Build',
    places: [
      { to: '/agents', name: 'Agents', icon: 'agents' },
      { to: '/knowledge', name: 'Knowledge', icon: 'knowledge' },
    ],
  },
  {
    name: 'Operate',
    places: [
      { to: '/analytics', name: 'Analytics', icon: 'analytics' },
      { to: '/webhooks', name: 'Webhooks', icon: 'webhooks' },
      { to: '/settings', name: 'Settings', icon: 'settings' },
    ],
  },
];

/** The frame around every page: navigation, live indicator and account. */
export function Shell() {
  const { namespace } = useMe();
  const { pathname } = useLocation();
  const places = useRef<HTMLElement>(null);
  useEffect(keepFocus, []);
  useEffect(() => showCurrent(places.current), [pathname]);
  return (
    <div className="shell">
      <a href="#main" className="skip button button-primary">
        Skip to content
      </a>
      <header className="side">
        <div className="side-head">
          <Link to="/" className="brand">
            <Mark />
            Parley
          </Link>
          <span className="side-namespace muted small" title="The namespace of your API key">
            {namespace}
          </span>
        </div>
        <nav ref={places} className="places" aria-label="Parley">
          {GROUPS.map(({ name, places }) => (
            <Group key={name} name={name} places={places} />
          ))}
        </nav>
        <div className="side-foot">
          <LiveSign />
          <Account />
        </div>
      </header>
      <Outlet />
    </div>
  );
}

function Group({ name, places }: (typeof GROUPS)[number]) {
  const id = useId();
  return (
    <div className="place-group" {...(name !== null && { role: 'group', 'aria-labelledby': id })}>
      {name === null ? null : (
        <span id={id} className="place-group-name">
          {name}
        </span>
      )}
      {places.map(({ to, name: place, icon }) => (
        <Link
          key={to}
          to={to}
          className="place"
          activeOptions={{ exact: to === '/', includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Icon name={icon} />
          {place}
          {to === '/escalations' ? <WaitingBadge /> : null}
        </Link>
      ))}
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
