import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EVENT_TYPE_NAMES, isMeant, type EventType } from '../../data/events.ts';
import { ok, parley } from '../../data/parley.ts';
import { readDelivery, type Endpoint } from '../../data/webhooks.ts';
import { ActButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Status } from '../../ui/status.tsx';
import { msText, useNowSec } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { Outcome } from './attempts.tsx';
import { answerOf } from './states.tsx';

const LOOK_MS = 300;
const LONG_SEC = 2;

/** Sends a test event to this endpoint only, and shows the receiver's response. */
export function TestEvent({ endpoint }: { endpoint: Endpoint }) {
  const types = EVENT_TYPE_NAMES.filter((type) => isMeant(endpoint.event_types, type));
  const [type, setType] = useState<EventType | undefined>();
  const sending = useMutation({
    mutationFn: () =>
      ok(
        parley.POST('/v1/webhooks/{id}/test', {
          params: { path: { id: endpoint.id } },
          body: { ...(type && { type }) },
        }),
      ),
  });
  return (
    <section className="card stack-small" aria-labelledby="test-event">
      <h2 id="test-event">Send a test event</h2>
      <div className="test-event">
        <Field label="Type">
          {(control) => (
            <select
              {...control}
              value={type ?? ''}
              onChange={({ target }) => setType((target.value || undefined) as EventType)}
            >
              <option value="">chosen by Parley</option>
              {types.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <ActButton
          needs="write"
          kind="primary"
          isBusy={sending.isPending}
          disabled={!endpoint.enabled}
          onClick={() => sending.mutate()}
        >
          Send a test event
        </ActButton>
      </div>
      {endpoint.enabled ? (
        <p className="muted small">
          A test event has sample data and the header <code>parley-test: true</code>, and is not
          counted in statistics.
        </p>
      ) : (
        <p className="small">The endpoint is disabled. Enable it to send a test event.</p>
      )}
      {sending.error ? <TroubleNote error={sending.error} /> : null}
      {sending.data && 'delivery_id' in sending.data ? (
        <Answer key={sending.data.delivery_id} deliveryId={sending.data.delivery_id} />
      ) : null}
    </section>
  );
}

/** Polls until the first attempt has ended, and shows its result. */
function Answer({ deliveryId }: { deliveryId: string }) {
  const delivery = useQuery({
    queryKey: ['deliveries', 'test', deliveryId],
    queryFn: ({ signal }) => readDelivery(deliveryId, signal),
    refetchInterval: ({ state }) => (state.data?.attempts.length ? false : LOOK_MS),
  });
  const attempt = delivery.data?.attempts[0];
  if (delivery.error) return <TroubleNote error={delivery.error} />;
  return (
    <div className="stack-small" role="status">
      {attempt ? (
        <>
          <p className="row">
            <Status tone={attempt.error_class === null ? 'ok' : 'bad'}>{answerOf(attempt)}</Status>
            <span>
              {attempt.error_class === null ? 'It arrived' : 'It did not arrive'}, after{' '}
              <span className="numeric">{msText(attempt.duration_ms)}</span>
            </span>
            <Link to={`/webhooks/deliveries/${deliveryId}`}>view delivery</Link>
          </p>
          <Outcome attempt={attempt} />
        </>
      ) : (
        <Waits deliveryId={deliveryId} />
      )}
    </div>
  );
}

/**
 * Shows that the test event is waiting. A failing endpoint gets only one attempt at a time, so the event may wait
 * behind other deliveries. After a while, the component offers to attempt the delivery immediately.
 */
function Waits({ deliveryId }: { deliveryId: string }) {
  const [from] = useState(() => Date.now() / 1_000);
  const isLong = useNowSec() - from > LONG_SEC;
  const retrying = useMutation({
    mutationFn: () =>
      ok(parley.POST('/v1/deliveries/{id}/retry', { params: { path: { id: deliveryId } } })),
  });
  return (
    <>
      <p className="muted">Sent. Waiting for the response…</p>
      {isLong ? (
        <p className="row">
          The endpoint is failing or its queue is long, so this delivery is waiting.
          <ActButton
            needs="replay"
            size="small"
            isBusy={retrying.isPending}
            onClick={() => retrying.mutate()}
          >
            Attempt it now
          </ActButton>
        </p>
      ) : null}
      {retrying.error ? <TroubleNote error={retrying.error} /> : null}
    </>
  );
}
