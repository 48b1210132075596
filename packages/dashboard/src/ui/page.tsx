import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { lastFilters } from '../data/last-filters.ts';
import { useCan } from '../data/me.ts';
import { arriveAt } from './keep-focus.ts';
import { Needing } from './needing.tsx';
import { setPageTitle } from './title.ts';
import { TroubleNote } from './trouble.tsx';

/** The frame of every page: back link, title and actions. */
export function Page({
  title,
  heading,
  actions,
  back,
  children,
}: {
  /** Title for the browser tab. */
  title: string;
  /** Heading of the page. Defaults to the title. */
  heading?: ReactNode;
  actions?: ReactNode;
  /** The page that lists this object, for the back link. */
  back?: Back;
  children: ReactNode;
}) {
  useEffect(() => setPageTitle(title), [title]);
  useEffect(() => arriveAt(window.location.pathname), []);
  return (
    <main className="page" id="main">
      {back ? (
        <Link to={back.to} search={lastFilters(back.to)} className="page-back small">
          ← {back.name}
        </Link>
      ) : null}
      <header className="spread page-head">
        <h1>{heading ?? title}</h1>
        {actions ? <div className="row">{actions}</div> : null}
      </header>
      {children}
    </main>
  );
}

type Back = { to: string; name: string };

/** A page that requires the `read` scope. Without this scope, it shows a single message and makes no requests. */
export function ReadPage({
  title,
  back,
  children,
}: {
  title: string;
  back?: Back;
  children: ReactNode;
}) {
  if (useCan('read')) return children;
  return (
    <Page title={title} {...(back && { back })}>
      <Needing scope="read">{null}</Needing>
    </Page>
  );
}

/** The page of an object that is still being loaded, or that could not be loaded. */
export function UnreadPage({
  title,
  back,
  query: { error, refetch },
}: {
  title: string;
  back: Back;
  query: { error: unknown; refetch: () => unknown };
}) {
  return (
    <Page title={title} back={back}>
      {error ? (
        <TroubleNote error={error} onRetry={() => void refetch()} />
      ) : (
        <p role="status">Loading…</p>
      )}
    </Page>
  );
}

/** Tabs between related pages. They are links, so that each page has its own address. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly {
    to: string;
    name: ReactNode;
    params?: Record<string, string>;
    exact?: boolean;
  }[];
}) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => showCurrent(ref.current), []);
  return (
    <nav ref={ref} aria-label={label} className="tabs">
      {tabs.map(({ to, name, params, exact = true }) => (
        <Link
          key={to}
          to={to}
          {...(params && { params })}
          activeOptions={{ exact, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

/**
 * Scrolls a strip of links to the current page's link, which may be hidden on phones. Scrolls again when the width of a
 * link changes, for example because of a count.
 * @returns a function that stops observing the links
 */
export function showCurrent(strip: HTMLElement | null): (() => void) | undefined {
  if (!strip) return undefined;
  const observer = new ResizeObserver(() => {
    const current = strip.querySelector('[aria-current="page"]')?.getBoundingClientRect();
    const { left, width } = strip.getBoundingClientRect();
    if (current) strip.scrollLeft += current.left + current.width / 2 - (left + width / 2);
  });
  for (const link of strip.querySelectorAll('a')) observer.observe(link);
  return () => observer.disconnect();
}
