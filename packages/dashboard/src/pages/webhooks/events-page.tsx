import { useFilters } from '../../ui/filters.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { LiveEvents } from './events/live-events.tsx';
import { StoredEvents } from './events/stored-events.tsx';
import { WebhooksTabs } from './webhooks-tabs.tsx';
import './webhooks.css';

/** Shows the live stream of events, or the stored events with search. */
export function EventsPage() {
  const [{ view, type }, setFilters] = useFilters();
  const isStored = view === 'all';
  return (
    <Page
      title="Events"
      heading="Webhooks"
      actions={
        isStored ? (
          <ButtonLink to="/webhooks/events" search={{ ...(type && { type }) } as never}>
            Live
          </ButtonLink>
        ) : (
          <ButtonLink
            to="/webhooks/events"
            search={{ view: 'all', ...(type && { type }) } as never}
          >
            Search all events
          </ButtonLink>
        )
      }
    >
      <WebhooksTabs />
      <Needing scope="read">
        {isStored ? (
          <StoredEvents />
        ) : (
          // A feed shows the events for one filter, so a different filter starts a new feed.
          <LiveEvents
            key={type}
            type={type || undefined}
            onSearch={() => setFilters({ view: 'all' })}
          />
        )}
      </Needing>
    </Page>
  );
}
