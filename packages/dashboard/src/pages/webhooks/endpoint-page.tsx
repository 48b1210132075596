import { useParams } from '@tanstack/react-router';
import { useList } from '../../data/use-list.ts';
import { useEndpoint, whileUnsettled, type TaggedEndpoint } from '../../data/webhooks.ts';
import { CopyId } from '../../ui/copy-id.tsx';
import { SelectFilter, useFilters } from '../../ui/filters.tsx';
import { Page, ReadPage, UnreadPage } from '../../ui/page.tsx';
import { WithPanel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveriesTable } from './deliveries-table.tsx';
import { EndpointActions, ManagedNote } from './endpoint-actions.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { EndpointLatency } from './endpoint-latency.tsx';
import { ReplayMany } from './replay/replay-many.tsx';
import { SecretRotation } from './secret-rotation.tsx';
import { DELIVERY_STATUSES, EndpointStatus, hostOf } from './states.tsx';
import { TestEvent } from './test-event.tsx';
import './webhooks.css';

const BACK = { to: '/webhooks', name: 'Webhooks' };

export function EndpointPage() {
  return (
    <ReadPage title="Endpoint" back={BACK}>
      <EndpointOf />
    </ReadPage>
  );
}

function EndpointOf() {
  const { endpointId } = useParams({ strict: false }) as { endpointId: string };
  const found = useEndpoint(endpointId);
  if (!found.data) return <UnreadPage title="Endpoint" back={BACK} query={found} />;
  return <Found key={endpointId} tagged={found.data} />;
}

function Found({ tagged }: { tagged: TaggedEndpoint }) {
  const { endpoint } = tagged;
  return (
    <Page
      title={hostOf(endpoint.url)}
      back={BACK}
      heading={
        <span className="row">
          {hostOf(endpoint.url)} <EndpointStatus endpoint={endpoint} />
        </span>
      }
      actions={<EndpointActions tagged={tagged} />}
    >
      <ManagedNote endpoint={endpoint} />
      <WithPanel
        label="Settings, test event, replay and secret"
        panel={
          <>
            <Facts tagged={tagged} />
            <TestEvent endpoint={endpoint} />
            <ReplayMany endpoint={endpoint} />
            <SecretRotation tagged={tagged} />
          </>
        }
      >
        <EndpointHealth endpoint={endpoint} />
        <EndpointLatency endpointId={endpoint.id} />
        <Deliveries endpointId={endpoint.id} />
      </WithPanel>
    </Page>
  );
}

function Facts({ tagged: { endpoint } }: { tagged: TaggedEndpoint }) {
  return (
    <dl className="facts card">
      <dt>URL</dt>
      <dd className="mono">{endpoint.url}</dd>
      <dt>Events</dt>
      <dd>{endpoint.event_types?.join(', ') ?? 'all'}</dd>
      {endpoint.description ? (
        <>
          <dt>Description</dt>
          <dd>{endpoint.description}</dd>
        </>
      ) : null}
      <dt>Headers</dt>
      <dd>
        {endpoint.header_names.length === 0 ? (
          <span className="muted">none</span>
        ) : (
          <span className="mono">{endpoint.header_names.join(', ')}</span>
        )}
      </dd>
      <dt>ID</dt>
      <dd>
        <CopyId id={endpoint.id} shown={endpoint.id} />
      </dd>
      <dt>Added</dt>
      <dd>
        <Time at={endpoint.created} />
        {endpoint.updated > endpoint.created ? (
          <span className="muted">
            {' '}
            · changed <Time at={endpoint.updated} />
          </span>
        ) : null}
      </dd>
    </dl>
  );
}

/** Lists deliveries to the endpoint. Includes test events, because somebody who just sent one looks for it here. */
function Deliveries({ endpointId }: { endpointId: string }) {
  const [{ status }] = useFilters();
  const list = useList('deliveries', '/v1/webhooks/{id}/deliveries', {
    path: { id: endpointId },
    query: { status },
    refreshMs: whileUnsettled,
  });
  return (
    <section className="stack-small" aria-labelledby="deliveries">
      <header className="spread">
        <h2 id="deliveries">Deliveries</h2>
        <SelectFilter name="status" label="Status" options={DELIVERY_STATUSES} />
      </header>
      <DeliveriesTable
        list={list}
        of="endpoint"
        empty={
          <p>
            {status
              ? `No deliveries are ${status}.`
              : 'No deliveries yet. Send a test event to check that it arrives.'}
          </p>
        }
      />
    </section>
  );
}
