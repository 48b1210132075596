import type { ItemOf } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { useList } from '../../data/use-list.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { AgentFilter } from '../../ui/agent-filter.tsx';
import { Filters, SelectFilter, TextFilter, useFilters } from '../../ui/filters.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Thing } from '../../ui/thing.tsx';
import { durationText, Time } from '../../ui/time.tsx';
import { CALL_STATUSES, CallStatus } from './call-status.tsx';
import { Code } from '../../ui/code.tsx';

type Call = ItemOf<'/v1/calls'>;

export function CallsPage() {
  return (
    <Page title="Calls">
      <Needing scope="read">
        <Filters>
          <SelectFilter name="status" label="Status" options={CALL_STATUSES} />
          <SelectFilter name="direction" label="Direction" options={['inbound', 'outbound']} />
          <TextFilter name="from" label="From" placeholder="+34…" />
          <TextFilter name="to" label="To" placeholder="+34…" />
          <AgentFilter />
        </Filters>
        <Calls />
      </Needing>
    </Page>
  );
}

const COLUMNS: Column<Call>[] = [
  { name: 'When', cell: ({ created }) => <Time at={created} />, width: '8rem' },
  { name: 'Status', cell: (call) => <CallStatus call={call} />, width: '8.5rem' },
  { name: 'From', cell: ({ from }) => from ?? '–' },
  { name: 'To', cell: ({ to }) => to ?? '–' },
  { name: 'Direction', cell: ({ direction }) => direction, width: '7rem', isWide: true },
  { name: 'Agent', cell: (call) => <AgentLink id={call.agent_id} />, isWide: true },
  {
    name: 'Conversation',
    cell: (call) => (call.conversation_id ? <Thing id={call.conversation_id} /> : '–'),
    isWide: true,
  },
  {
    name: 'Length',
    cell: (call) => (call.duration_sec === null ? '–' : durationText(call.duration_sec)),
    width: '5rem',
    align: 'end',
  },
];

function Calls() {
  const [{ status, direction, from, to, agent_id }] = useFilters();
  const query = { status, direction, from, to, agent_id };
  const list = useList('calls', '/v1/calls', { query, enabled: useCan('read') });
  const isFiltered = Object.values(query).some(Boolean);
  const example = [
    `curl ${window.location.origin}/v1/calls \\`,
    `  -H "Authorization: Bearer $PARLEY_API_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"agent_id": "agt_…", "to": "+34600111222"}'`,
  ].join('\n');
  const empty = isFiltered ? (
    <p>No calls match these filters.</p>
  ) : (
    <>
      <p>No calls yet. Place a simulated call to see how one works.</p>
      <Code text={example} label="Place a simulated call" />
    </>
  );
  return (
    <Table
      label="Calls"
      list={list}
      columns={COLUMNS}
      href={({ id }) => `/calls/${id}`}
      empty={empty}
    />
  );
}
