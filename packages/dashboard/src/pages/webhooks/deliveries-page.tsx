import { useList } from '../../data/use-list.ts';
import { useEndpoints, whileUnsettled } from '../../data/webhooks.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Filters, SelectFilter, TextFilter, useFilters } from '../../ui/filters.tsx';
import { Page, ReadPage } from '../../ui/page.tsx';
import { DeliveriesTable } from './deliveries-table.tsx';
import { LogFilters } from './events/log-filters.tsx';
import { TypeFilter } from './events/type-filter.tsx';
import { DELIVERY_STATUSES, shortUrl } from './states.tsx';
import { WebhooksTabs } from './webhooks-tabs.tsx';
import './webhooks.css';

const NAMES = [
  'status',
  'endpoint_id',
  'event_id',
  'event_type',
  'created_after',
  'created_before',
  'test',
];

/** Lists the deliveries to all endpoints. The filters have the API's parameter names. */
export function DeliveriesPage() {
  return (
    <ReadPage title="Deliveries">
      <Deliveries />
    </ReadPage>
  );
}

function Deliveries() {
  const [filters, setFilters] = useFilters();
  const endpoints = useEndpoints();
  const query = Object.fromEntries(NAMES.map((name) => [name, filters[name]]));
  const list = useList('deliveries', '/v1/deliveries', { query, refreshMs: whileUnsettled });
  const isFiltered = NAMES.some((name) => filters[name]);
  const clear = (): void => setFilters(Object.fromEntries(NAMES.map((name) => [name, undefined])));
  return (
    <Page title="Deliveries" heading="Webhooks">
      <WebhooksTabs />
      <Filters>
        <SelectFilter name="status" label="Status" options={DELIVERY_STATUSES} />
        <SelectFilter
          name="endpoint_id"
          label="Endpoint"
          options={(endpoints.data ?? []).map(({ id, url }) => ({
            value: id,
            name: shortUrl(url),
          }))}
        />
        <TypeFilter name="event_type" />
        <TextFilter name="event_id" label="Event ID" placeholder="evt_…" />
        <LogFilters names={NAMES} />
      </Filters>
      <DeliveriesTable
        list={list}
        empty={
          isFiltered ? (
            <>
              <p>No deliveries match these filters.</p>
              <Button onClick={clear}>Clear filters</Button>
            </>
          ) : (
            <>
              <p>No deliveries yet. Each event creates one delivery per subscribed endpoint.</p>
              <ButtonLink to="/webhooks">Endpoints</ButtonLink>
            </>
          )
        }
      />
    </Page>
  );
}
