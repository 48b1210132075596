import { Link } from '@tanstack/react-router';
import type { ItemOf } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { useList } from '../../data/use-list.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { AgentFilter } from '../../ui/agent-filter.tsx';
import {
  ClearFilters,
  DateFilter,
  Filters,
  SelectFilter,
  TextFilter,
  useFilters,
} from '../../ui/filters.tsx';
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
          <TextFilter name="conversation_id" label="Conversation" placeholder="conv_…" />
          <DateFilter name="created_after" label="Started after" />
          <DateFilter name="created_before" label="Started before" />
          <ClearFilters names={NAMES} />
        </Filters>
        <Calls />
      </Needing>
    </Page>
  );
}

const NAMES = [
  'status',
  'direction',
  'from',
  'to',
  'agent_id',
  'conversation_id',
  'created_after',
  'created_before',
];

const COLUMNS: Column<Call>[] = [
  { name: 'Customer', cell: (call) => numbersOf(call).theirs ?? 'unknown number' },
  { name: 'Your number', cell: (call) => numbersOf(call).ours ?? '–', isWide: true },
  { name: 'Status', cell: (call) => <CallStatus call={call} />, width: '8.5rem' },
  { name: 'Started', cell: ({ created }) => <Time at={created} />, width: '8rem', isWide: true },
  { name: 'Direction', cell: ({ direction }) => direction, width: '7rem', isWide: 'very' },
  { name: 'Agent', cell: (call) => <AgentLink id={call.agent_id} />, isWide: true },
  {
    name: 'Conversation',
    cell: (call) => (call.conversation_id ? <Thing id={call.conversation_id} /> : '–'),
    isWide: 'very',
  },
  {
    name: 'Duration',
    cell: (call) => (call.duration_sec === null ? '–' : durationText(call.duration_sec)),
    width: '6rem',
    align: 'end',
    isWide: true,
  },
];

/** Returns the customer's number and the account's own number. The direction of the call says which one is `from`. */
function numbersOf({ direction, from, to }: Call): { theirs: string | null; ours: string | null } {
  return direction === 'inbound' ? { theirs: from, ours: to } : { theirs: to, ours: from };
}

function Calls() {
  const [filters] = useFilters();
  const query = Object.fromEntries(NAMES.map((name) => [name, filters[name]]));
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
      <p>
        No calls yet. <Link to="/settings/telephony">Connect a carrier</Link> to answer a number, or
        place a simulated call to see how one works.
      </p>
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
      narrow={({ direction, created }) => (
        <>
          {direction}, <Time at={created} />
        </>
      )}
    />
  );
}
