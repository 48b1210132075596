import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { conversationOf, useEvent, type StoredEvent } from '../../data/events.ts';
import { ok, parley } from '../../data/parley.ts';
import { useDelivery, useEndpoint, type Delivery, type Endpoint } from '../../data/webhooks.ts';
import { ActButton } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Page, ReadPage, UnreadPage } from '../../ui/page.tsx';
import { WithPanel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { Attempts } from './attempts.tsx';
import { RequestSent } from './request-sent.tsx';
import { DeliveryStatus, hostOf, TestMark } from './states.tsx';
import './webhooks.css';

const BACK = { to: '/webhooks/deliveries', name: 'Deliveries' };

export function DeliveryPage() {
  return (
    <ReadPage title="Delivery" back={BACK}>
      <DeliveryOf />
    </ReadPage>
  );
}

function DeliveryOf() {
  const { deliveryId } = useParams({ strict: false }) as { deliveryId: string };
  const delivery = useDelivery(deliveryId);
  if (!delivery.data) return <UnreadPage title="Delivery" back={BACK} query={delivery} />;
  return <Found delivery={delivery.data} />;
}

function Found({ delivery }: { delivery: Delivery }) {
  const event = useEvent(delivery.event_id);
  const endpoint = useEndpoint(delivery.endpoint_id);
  return (
    <Page
      title={`Delivery of ${delivery.event_type}`}
      back={BACK}
      heading={
        <span className="row">
          {delivery.event_type} <DeliveryStatus delivery={delivery} />
          {delivery.test ? <TestMark /> : null}
        </span>
      }
      actions={<Again delivery={delivery} />}
    >
      <WithPanel
        label="About this delivery"
        startsOpen
        panel={<Facts delivery={delivery} event={event.data} endpoint={endpoint.data?.endpoint} />}
      >
        <section className="stack-small" aria-labelledby="attempts">
          <h2 id="attempts">Attempts</h2>
          {delivery.status === 'failed' ? (
            <p>
              Parley gave up: the receiver did not acknowledge the event within 72 hours. Send it
              again once the endpoint works.
            </p>
          ) : null}
          <Attempts delivery={delivery} />
        </section>
        <RequestSent delivery={delivery} event={event.data} endpoint={endpoint.data?.endpoint} />
      </WithPanel>
    </Page>
  );
}

function Facts({
  delivery,
  event,
  endpoint,
}: {
  delivery: Delivery;
  event: StoredEvent | undefined;
  endpoint: Endpoint | undefined;
}) {
  const conversation = event && conversationOf(event);
  const { endpoint_id: endpointId, event_id: eventId, delivered_by: by } = delivery;
  return (
    <dl className="facts card">
      <dt>Delivery</dt>
      <dd>
        <CopyId id={delivery.id} shown={delivery.id} />
      </dd>
      <dt>Event</dt>
      <dd>
        <Link to={`/webhooks/events/${eventId}`}>{eventId}</Link>
      </dd>
      {conversation ? (
        <>
          <dt>Conversation</dt>
          <dd>
            <Link to={`/conversations/${conversation}`}>{conversation}</Link>
          </dd>
        </>
      ) : null}
      <dt>Endpoint</dt>
      <dd>
        <Link to={`/webhooks/${endpointId}`}>{endpoint ? hostOf(endpoint.url) : endpointId}</Link>
        {endpoint ? <span className="muted"> · {endpoint.status.replace('_', ' ')}</span> : null}
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={delivery.created} /> <span className="muted">{MADE_BY[delivery.trigger]}</span>
      </dd>
      {delivery.delivered_at === null ? null : (
        <>
          <dt>Delivered</dt>
          <dd>
            <Time at={delivery.delivered_at} />
            {by === null ? null : (
              <>
                {' '}
                by <Link to={`/webhooks/deliveries/${by}`}>a replay</Link>, while this delivery
                waited
              </>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

const MADE_BY = {
  schedule: 'automatically',
  manual: 'by a retry',
  replay: 'by a replay',
  test: 'by “Send a test event”',
} as const satisfies Record<Delivery['trigger'], string>;

/** Offers to retry a waiting delivery now, or to send a finished one again as a new delivery. */
function Again({ delivery }: { delivery: Delivery }) {
  const isOver = delivery.status !== 'pending' && delivery.status !== 'retrying';
  return isOver ? <Replay delivery={delivery} /> : <RetryNow delivery={delivery} />;
}

function RetryNow({ delivery: { id, in_flight_since: since } }: { delivery: Delivery }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const retrying = useMutation({
    mutationFn: () => ok(parley.POST('/v1/deliveries/{id}/retry', { params: { path: { id } } })),
    onSuccess: (delivery) => {
      queryClient.setQueryData(['deliveries', 'one', id], delivery);
      toast({ text: 'Retrying now' });
    },
  });
  return (
    <>
      <ActButton
        needs="replay"
        kind="primary"
        isBusy={retrying.isPending}
        disabled={since !== null}
        onClick={() => retrying.mutate()}
      >
        Retry now
      </ActButton>
      {retrying.error ? <TroubleNote error={retrying.error} /> : null}
    </>
  );
}

function Replay({ delivery }: { delivery: Delivery }) {
  const navigate = useNavigate();
  const toast = useToast();
  const { event_id: id, endpoint_id: endpointId } = delivery;
  const replaying = useMutation({
    mutationFn: () =>
      ok(
        parley.POST('/v1/events/{id}/replay', {
          params: { path: { id } },
          body: { endpoint_id: endpointId },
        }),
      ),
    onSuccess: ({ delivery_ids: [made] }) => {
      toast({ text: 'Sent again, as a new delivery' });
      if (made !== undefined) void navigate({ to: `/webhooks/deliveries/${made}` });
    },
  });
  return (
    <>
      <ActButton needs="replay" isBusy={replaying.isPending} onClick={() => replaying.mutate()}>
        Send it again
      </ActButton>
      {replaying.error ? <TroubleNote error={replaying.error} /> : null}
    </>
  );
}
