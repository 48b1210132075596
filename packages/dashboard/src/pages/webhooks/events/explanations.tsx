import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { StoredEvent } from '../../../data/events.ts';
import { ok, parley } from '../../../data/parley.ts';
import { useEndpoints, type Delivery, type Endpoint } from '../../../data/webhooks.ts';
import { ActButton } from '../../../ui/button.tsx';
import { useFilters } from '../../../ui/filters.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { EndpointStatus, shortUrl } from '../states.tsx';

/** Lists the endpoints that did not receive the event. Each explanation loads when it is opened. */
export function Explanations({
  event,
  deliveries,
}: {
  event: StoredEvent;
  deliveries: readonly Delivery[];
}) {
  const endpoints = useEndpoints();
  const [{ endpoint_id: asked }] = useFilters();
  const reached = new Set(
    deliveries.filter(({ status }) => status === 'delivered').map((one) => one.endpoint_id),
  );
  const without = endpoints.data?.filter(({ id }) => !reached.has(id)) ?? [];
  if (endpoints.error) {
    return <TroubleNote error={endpoints.error} onRetry={() => void endpoints.refetch()} />;
  }
  if (without.length === 0) return null;
  return (
    <section className="stack-small" aria-labelledby="why">
      <h2 id="why">Why it did not arrive</h2>
      <ul className="stack-small">
        {without.map((endpoint) => (
          <ExplanationItem
            key={endpoint.id}
            event={event}
            endpoint={endpoint}
            isFirst={endpoint.id === asked || without.length === 1}
          />
        ))}
      </ul>
    </section>
  );
}

function ExplanationItem({
  event,
  endpoint,
  isFirst,
}: {
  event: StoredEvent;
  endpoint: Endpoint;
  isFirst: boolean;
}) {
  const [isOpen, setIsOpen] = useState(isFirst);
  return (
    <li className="attempt">
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="attempt-line">
          <strong>{shortUrl(endpoint.url)}</strong>
          <EndpointStatus endpoint={endpoint} />
        </summary>
        {isOpen ? <Explanation event={event} endpoint={endpoint} /> : null}
      </details>
    </li>
  );
}

/** Shows the API's explanation and remedy, and offers a replay if that would help. */
function Explanation({ event, endpoint }: { event: StoredEvent; endpoint: Endpoint }) {
  const why = useQuery({
    queryKey: ['deliveries', 'why', event.id, endpoint.id],
    queryFn: ({ signal }) =>
      ok(
        parley.GET('/v1/events/{id}/explanation', {
          params: { path: { id: event.id }, query: { endpoint_id: endpoint.id } },
          signal,
        }),
      ),
  });
  if (why.error) return <TroubleNote error={why.error} onRetry={() => void why.refetch()} />;
  if (!why.data) return <p className="muted attempt-body">Checking…</p>;
  const { reason, detail, delivery_id: deliveryId } = why.data;
  return (
    <div className="stack-small attempt-body" role="status">
      <p>
        <strong>{reason.replaceAll('_', ' ')}</strong>: {detail}
      </p>
      <div className="row">
        {deliveryId === null ? null : (
          <Link to={`/webhooks/deliveries/${deliveryId}`}>view delivery</Link>
        )}
        <Link to={`/webhooks/${endpoint.id}`}>view endpoint</Link>
        {endpoint.enabled && REPLAYABLE.has(reason) ? (
          <ReplayToOne event={event} endpoint={endpoint} />
        ) : null}
      </div>
    </div>
  );
}

/** Reasons why Parley will not send the event to the endpoint by itself. In these cases, a replay helps. */
const REPLAYABLE: ReadonlySet<string> = new Set([
  'failed',
  'canceled',
  'not_subscribed',
  'created_before_endpoint',
  'made_while_disabled',
]);

function ReplayToOne({ event, endpoint }: { event: StoredEvent; endpoint: Endpoint }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const replaying = useMutation({
    mutationFn: () =>
      ok(
        parley.POST('/v1/events/{id}/replay', {
          params: { path: { id: event.id } },
          body: { endpoint_id: endpoint.id },
        }),
      ),
    onSuccess: () => {
      toast({ text: `Sent to ${shortUrl(endpoint.url)}` });
      void queryClient.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
  return (
    <>
      <ActButton
        needs="replay"
        size="small"
        isBusy={replaying.isPending}
        onClick={() => replaying.mutate()}
      >
        Send it to this endpoint
      </ActButton>
      {replaying.error ? <TroubleNote error={replaying.error} /> : null}
    </>
  );
}
