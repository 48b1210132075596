import type { StoredEvent } from '../../../data/events.ts';
import { useList } from '../../../data/use-list.ts';
import { Filters, TextFilter, useFilters } from '../../../ui/filters.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { Thing } from '../../../ui/thing.tsx';
import { Time } from '../../../ui/time.tsx';
import { TestMark } from '../states.tsx';
import { LogFilters } from './log-filters.tsx';
import { TypeFilter } from './type-filter.tsx';

const NAMES = ['type', 'conversation_id', 'agent_id', 'created_after', 'created_before', 'test'];

const COLUMNS: Column<StoredEvent>[] = [
  {
    name: 'Event',
    width: 'minmax(0, 1.6fr)',
    cell: ({ type, test }) => (
      <span>
        {type} {test ? <TestMark /> : null}
      </span>
    ),
  },
  { name: 'Object', isWide: true, cell: ({ data }) => <About data={data} /> },
  {
    name: 'Delivered',
    width: '6.5rem',
    align: 'end',
    isWide: true,
    cell: ({ deliveries }) => deliveries.delivered,
  },
  {
    name: 'Pending',
    width: '6.5rem',
    align: 'end',
    isWide: true,
    cell: ({ deliveries }) => deliveries.pending,
  },
  {
    name: 'Failed',
    width: '5rem',
    align: 'end',
    isWide: true,
    cell: ({ deliveries: { failed } }) =>
      failed > 0 ? <strong className="problem">{failed}</strong> : failed,
  },
  { name: 'When', width: '8rem', cell: ({ created }) => <Time at={created} /> },
];

function About({ data }: Pick<StoredEvent, 'data'>) {
  const { conversation_id: conversation, agent_id: agent, source_id: source } = data;
  const id = conversation ?? source ?? agent;
  return typeof id === 'string' ? <Thing id={id} /> : null;
}

/** Lists all stored events, newest first. */
export function StoredEvents() {
  const [filters] = useFilters();
  const query = Object.fromEntries(NAMES.map((name) => [name, filters[name]]));
  const list = useList('events', '/v1/events', { query });
  const isFiltered = NAMES.some((name) => filters[name]);
  return (
    <>
      <Filters>
        <TypeFilter name="type" />
        <TextFilter name="conversation_id" label="Conversation" placeholder="conv_…" />
        <TextFilter name="agent_id" label="Agent" placeholder="agt_…" />
        <LogFilters names={NAMES} />
      </Filters>
      <Table
        label="Events"
        list={list}
        columns={COLUMNS}
        href={({ id }) => `/webhooks/events/${id}`}
        empty={
          <p>
            {isFiltered
              ? 'No events match these filters.'
              : 'No events yet. Talk to an agent to create some.'}
          </p>
        }
      />
    </>
  );
}
