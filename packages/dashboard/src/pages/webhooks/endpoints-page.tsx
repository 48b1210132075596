import { useList } from '../../data/use-list.ts';
import { healthText, type Endpoint } from '../../data/webhooks.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ClearFilters, Filters, SelectFilter, useFilters } from '../../ui/filters.tsx';
import { Page, ReadPage } from '../../ui/page.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useCan } from '../../data/me.ts';
import { EndpointStatus } from './states.tsx';
import { WebhooksTabs } from './webhooks-tabs.tsx';
import './webhooks.css';

const REFRESH_MS = 5_000;

const COLUMNS: Column<Endpoint>[] = [
  { name: 'Endpoint', width: 'minmax(0, 2.4fr)', cell: ({ url }) => url },
  { name: 'Status', width: '7.75rem', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  {
    name: 'Health',
    width: 'minmax(0, 2fr)',
    isWide: true,
    cell: (endpoint) => (
      <span className="muted" title={healthText(endpoint)}>
        {healthText(endpoint)}
      </span>
    ),
  },
  {
    name: 'Events',
    isWide: true,
    width: 'minmax(0, 1.2fr)',
    cell: ({ event_types: types }) => (
      <span title={types?.join(', ')}>{types === null ? 'all' : types.join(', ')}</span>
    ),
  },
  {
    name: 'Last success',
    isWide: 'very',
    width: '8rem',
    cell: ({ last_success_at: at }) => <Time at={at} never="never" />,
  },
  { name: 'Managed by', isWide: 'very', width: '7.5rem', cell: (endpoint) => endpoint.managed_by },
];

export function EndpointsPage() {
  return (
    <ReadPage title="Webhooks">
      <Endpoints />
    </ReadPage>
  );
}

function Endpoints() {
  const [{ status, enabled }] = useFilters();
  const list = useList('webhooks', '/v1/webhooks', {
    query: { status, enabled },
    refreshMs: () => REFRESH_MS,
  });
  return (
    <Page title="Webhooks" actions={<AddEndpoint />}>
      <WebhooksTabs />
      <Filters>
        <SelectFilter
          name="status"
          label="Status"
          options={['healthy', 'failing', 'disabled', 'not_ready']}
        />
        <SelectFilter
          name="enabled"
          label="Enabled"
          options={[
            { value: 'true', name: 'yes' },
            { value: 'false', name: 'no' },
          ]}
        />
        <ClearFilters names={['status', 'enabled']} />
      </Filters>
      <Table
        label="Webhook endpoints"
        list={list}
        columns={COLUMNS}
        href={({ id }) => `/webhooks/${id}`}
        narrow={healthText}
        empty={
          (status ?? enabled) ? (
            <p>No endpoints match these filters.</p>
          ) : (
            <>
              <p>
                No endpoints yet. An endpoint is an HTTPS URL of yours that receives events as they
                happen: conversations, escalations, gaps, publications.
              </p>
              <AddEndpoint />
            </>
          )
        }
      />
    </Page>
  );
}

function AddEndpoint() {
  if (!useCan('write')) return null;
  return (
    <ButtonLink to="/webhooks/new" kind="primary">
      Add an endpoint
    </ButtonLink>
  );
}
