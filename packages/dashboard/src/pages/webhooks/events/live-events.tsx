import { memo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLiveState } from '../../../data/live-context.ts';
import type { LiveEvent } from '../../../data/live.ts';
import { ok, parley } from '../../../data/parley.ts';
import { Button } from '../../../ui/button.tsx';
import { Json } from '../../../ui/code.tsx';
import { shortId } from '../../../ui/copy-id.tsx';
import { Filters } from '../../../ui/filters.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { TypeFilter } from './type-filter.tsx';
import { KEPT_MAX, useEventFeed } from './use-event-feed.ts';

const BEFORE = 50;
/** Number of events that are rendered by default. It is limited, because a new event moves every event below it. */
const DRAWN = 100;
const NONE: readonly LiveEvent[] = [];

/** Shows events live, each with its JSON. Starts with the most recent stored events, so that the list is not empty. */
export function LiveEvents({ type, onSearch }: { type: string | undefined; onSearch: () => void }) {
  const before = useQuery({
    // Read only once, because the stream delivers later events.
    queryKey: ['feed', type ?? ''],
    staleTime: Infinity,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const query = { limit: BEFORE, ...(type && { type }) };
      return (await ok(parley.GET('/v1/events', { params: { query }, signal }))).data;
    },
  });
  const feed = useEventFeed(type, before.data ?? NONE);
  const [isWhole, setIsWhole] = useState(false);
  const drawn = isWhole ? feed.events : feed.events.slice(0, DRAWN);
  return (
    <>
      <div className="spread feed-bar">
        <Filters>
          <TypeFilter name="type" />
        </Filters>
        <div className="row">
          <FeedState isPaused={feed.isPaused} waiting={feed.waiting} />
          {feed.isPaused ? (
            <Button kind="primary" onClick={feed.resume}>
              {feed.waiting > 0 ? `Resume (${feed.waiting} new)` : 'Resume'}
            </Button>
          ) : (
            <Button onClick={feed.pause}>Pause</Button>
          )}
          <Button onClick={feed.clear}>Clear</Button>
        </div>
      </div>
      {before.error ? (
        <TroubleNote error={before.error} onRetry={() => void before.refetch()} />
      ) : null}
      {feed.events.length === 0 && !before.isPending ? (
        <div className="card empty">
          <p>
            {type
              ? `Waiting for ${type}. None have arrived yet.`
              : 'Waiting for events. Talk to an agent, and its events appear here immediately.'}
          </p>
        </div>
      ) : (
        <ol className="feed" aria-label="Events, newest first">
          {drawn.map((event) => (
            <FeedItem key={event.id} event={event} />
          ))}
        </ol>
      )}
      {drawn.length < feed.events.length ? (
        <div>
          <Button onClick={() => setIsWhole(true)}>Show all {feed.events.length}</Button>
        </div>
      ) : null}
      {feed.events.length >= KEPT_MAX ? (
        <p className="muted">
          Only the last {KEPT_MAX} events are kept here.{' '}
          <Button size="small" onClick={onSearch}>
            Search all events
          </Button>
        </p>
      ) : null}
    </>
  );
}

function FeedState({ isPaused, waiting }: { isPaused: boolean; waiting: number }) {
  const state = useLiveState();
  if (isPaused)
    return <span className="muted small">Paused{waiting > 0 ? '' : ': no new events'}</span>;
  if (state === 'live') return <span className="muted small">Receiving events</span>;
  return <span className="muted small">Not connected. Reconnecting…</span>;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** An event in the feed. It is memoized, so that new events above it do not render it again. */
const FeedItem = memo(function FeedItem({ event }: { event: LiveEvent }) {
  const [isOpen, setIsOpen] = useState(false);
  const { id, type, created, data } = event;
  return (
    <li className="feed-item">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="attempt-line">
          <time
            className="numeric muted"
            dateTime={new Date(created * 1_000).toISOString()}
            title={new Date(created * 1_000).toString()}
          >
            {clock.format(created * 1_000)}
          </time>
          <strong>{type}</strong>
          <span className="mono muted feed-about">{aboutOf(data)}</span>
        </summary>
        {isOpen ? (
          <div className="stack-small attempt-body">
            <Json value={{ id, type, created, data }} label={`Event ${id}`} />
            <p>
              <Link to={`/webhooks/events/${id}`}>View deliveries</Link>
            </p>
          </div>
        ) : null}
      </details>
    </li>
  );
});

/** Returns the text that distinguishes events of the same type. */
function aboutOf(data: LiveEvent['data']): string {
  const { conversation_id: conversation, name, outcome, question, reason } = data;
  return [conversation, name, outcome, question, reason]
    .filter((one) => typeof one === 'string')
    .map((one) => (one === conversation ? shortId(one) : one))
    .join(' · ');
}
