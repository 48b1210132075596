import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { bodyOf, useEvent, type StoredEvent } from '../../data/events.ts';
import { ok, parley } from '../../data/parley.ts';
import { placeOf } from '../../data/places.ts';
import { useList } from '../../data/use-list.ts';
import { whileUnsettled } from '../../data/webhooks.ts';
import { ActButton } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Page, ReadPage, UnreadPage } from '../../ui/page.tsx';
import { WithPanel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { DeliveriesTable } from './deliveries-table.tsx';
import { Explanations } from './events/explanations.tsx';
import { TestMark } from './states.tsx';
import './webhooks.css';

const BACK = { to: '/webhooks/events', name: 'Events' };

/** Shows one event: its content, its deliveries, and why other endpoints did not receive it. */
export function EventPage() {
  return (
    <ReadPage title="Event" back={BACK}>
      <EventOf />
    </ReadPage>
  );
}

function EventOf() {
  const { eventId } = useParams({ strict: false }) as { eventId: string };
  const event = useEvent(eventId);
  if (!event.data) return <UnreadPage title="Event" back={BACK} query={event} />;
  return <Found event={event.data} />;
}

function Found({ event }: { event: StoredEvent }) {
  const { id, type, test } = event;
  const list = useList('deliveries', '/v1/events/{id}/deliveries', {
    path: { id },
    refreshMs: whileUnsettled,
  });
  return (
    <Page
      title={type}
      back={BACK}
      heading={
        <span className="row">
          {type} {test ? <TestMark /> : null}
        </span>
      }
      actions={<ReplayToAll event={event} />}
    >
      <WithPanel label="About this event" startsOpen panel={<Facts event={event} />}>
        <section className="stack-small" aria-labelledby="deliveries">
          <h2 id="deliveries">Deliveries</h2>
          <DeliveriesTable
            list={list}
            of="event"
            empty={<p>No endpoint received this event. The reasons are below.</p>}
          />
        </section>
        {list.isLoading ? null : <Explanations event={event} deliveries={list.rows} />}
        <section className="stack-small" aria-labelledby="body">
          <h2 id="body">Body</h2>
          <Json value={bodyOf(event)} label="Body" />
        </section>
      </WithPanel>
    </Page>
  );
}

function Facts({ event: { id, created, data } }: { event: StoredEvent }) {
  return (
    <dl className="facts card">
      <dt>Event</dt>
      <dd>
        <CopyId id={id} shown={id} />
      </dd>
      <dt>Happened</dt>
      <dd>
        <Time at={created} />
      </dd>
      <Links data={data} />
    </dl>
  );
}

const NAMES = {
  conversation_id: 'Conversation',
  agent_id: 'Agent',
  escalation_id: 'Escalation',
  gap_id: 'Gap',
  source_id: 'Source',
  call_id: 'Call',
} as const;

/** Links the objects in the event's data to their pages. */
function Links({ data }: Pick<StoredEvent, 'data'>) {
  return Object.entries(NAMES).map(([name, shown]) => {
    const id = data[name];
    const place = typeof id === 'string' ? placeOf(id) : undefined;
    if (place === undefined) return null;
    return (
      <div key={name} className="fact">
        <dt>{shown}</dt>
        <dd>
          <Link to={place}>{String(id)}</Link>
        </dd>
      </div>
    );
  });
}

function ReplayToAll({ event: { id, test } }: { event: StoredEvent }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const replaying = useMutation({
    mutationFn: () =>
      ok(parley.POST('/v1/events/{id}/replay', { params: { path: { id } }, body: {} })),
    onSuccess: ({ delivery_ids: made }) => {
      toast({
        text:
          made.length === 0
            ? 'No enabled endpoint is subscribed to this event'
            : `Sent again to ${made.length === 1 ? 'one endpoint' : `${made.length} endpoints`}`,
        ...(made.length === 0 && { tone: 'bad' as const }),
      });
      void queryClient.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
  return (
    <>
      <ActButton needs="replay" isBusy={replaying.isPending} onClick={() => replaying.mutate()}>
        {test ? 'Send it again' : 'Send it again to all subscribers'}
      </ActButton>
      {replaying.error ? <TroubleNote error={replaying.error} /> : null}
    </>
  );
}
