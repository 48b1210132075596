import { useMemo } from 'react';
import { useCan } from '../../data/me.ts';
import { agentName } from '../../data/agents.ts';
import type { Agent } from '../../data/parley.ts';
import { DAYS_DEFAULT, daysOf, figuresOf, SPANS, useStats, type Stats } from '../../data/stats.ts';
import { useList } from '../../data/use-list.ts';
import { Actor } from '../../ui/actor.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Delta } from '../../ui/delta.tsx';
import { count, decimal, percent } from '../../ui/figure.tsx';
import { ClearFilters, Filters, SelectFilter, TextFilter, useFilters } from '../../ui/filters.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { AgentFlags } from './agent-state.tsx';
import './agents.css';

export function AgentsPage() {
  return (
    <Page title="Agents" actions={<NewAgentLink />}>
      <Needing scope="read">
        <Agents />
      </Needing>
    </Page>
  );
}

const OTHER_SPANS = SPANS.filter(({ value }) => Number(value) !== DAYS_DEFAULT);

function Agents() {
  const [search] = useFilters();
  const { name, ready, managed_by, model_provider } = search;
  const query = { name, ready, managed_by, model_provider };
  const list = useList('agents', '/v1/agents', { query });
  const stats = useStats(daysOf(search));
  const columns = useMemo(() => columnsOf(stats.data), [stats.data]);
  const isFiltered = Object.values(query).some(Boolean);
  return (
    <>
      <Filters>
        <TextFilter name="name" label="Name" placeholder="full name" />
        <SelectFilter
          name="ready"
          label="Ready"
          options={[
            { value: 'true', name: 'ready' },
            { value: 'false', name: 'not ready' },
          ]}
        />
        <SelectFilter
          name="managed_by"
          label="Managed by"
          options={['api', 'kubernetes', 'file']}
        />
        <TextFilter name="model_provider" label="Model provider" placeholder="full name" />
        <SelectFilter name="days" label="Period" any="the last 7 days" options={OTHER_SPANS} />
        <ClearFilters names={['name', 'ready', 'managed_by', 'model_provider']} />
      </Filters>
      {stats.error ? (
        <TroubleNote error={stats.error} onRetry={() => void stats.refetch()} />
      ) : null}
      <Table
        label="Agents"
        list={list}
        columns={columns}
        href={({ id }) => `/agents/${id}`}
        narrow={(agent) => <AgentFlags agent={agent} />}
        empty={
          isFiltered ? (
            <p>No agents match these filters.</p>
          ) : (
            <>
              <p>No agents yet. An agent is a prompt that people can talk to.</p>
              <NewAgentLink />
            </>
          )
        }
      />
    </>
  );
}

function columnsOf(stats: Stats | undefined): readonly Column<Agent>[] {
  const rate = (name: 'escalation_rate' | 'gap_rate') => (agent: Agent) => {
    const { live, before, against } = compared(stats, agent);
    return (
      <>
        <Delta
          now={live?.[name]}
          before={before?.[name]}
          good="down"
          unit="points"
          against={against}
        />{' '}
        {percent(live?.[name])}
      </>
    );
  };
  return [
    {
      name: 'Agent',
      width: 'minmax(7rem, 2fr)',
      cell: (agent) => <span className="agent-name">{agentName(agent)}</span>,
    },
    {
      name: 'Live',
      width: '3.5rem',
      align: 'end',
      cell: ({ active_version: live }) => live ?? '–',
    },
    {
      name: 'State',
      width: 'minmax(0, 2.5fr)',
      isWide: true,
      cell: (agent) => <AgentFlags agent={agent} />,
    },
    {
      name: 'Activated by',
      width: 'minmax(0, 2fr)',
      isWide: 'very',
      cell: (agent) => <MovedBy agent={agent} />,
    },
    {
      name: 'Conversations',
      width: '8.5rem',
      align: 'end',
      isWide: true,
      cell: (agent) => (stats ? count(compared(stats, agent).live?.conversations ?? 0) : ''),
    },
    {
      name: 'Escalated',
      width: '6.5rem',
      align: 'end',
      isWide: true,
      cell: rate('escalation_rate'),
    },
    {
      name: 'CSAT',
      width: '6rem',
      align: 'end',
      isWide: true,
      cell: (agent) => {
        const { live, before, against } = compared(stats, agent);
        return (
          <>
            <Delta
              now={live?.csat_average}
              before={before?.csat_average}
              good="up"
              unit="value"
              against={against}
            />{' '}
            {decimal(live?.csat_average)}
          </>
        );
      },
    },
    { name: 'Gaps', width: '6.5rem', align: 'end', isWide: 'very', cell: rate('gap_rate') },
  ];
}

function compared(stats: Stats | undefined, agent: Agent) {
  const previous = agent.activation?.from_version ?? null;
  return { ...figuresOf(stats, agent, previous), against: `version ${previous ?? ''}` };
}

function MovedBy({ agent }: { agent: Agent }) {
  const { activation: last } = agent;
  if (!last) return null;
  return (
    <span className="small">
      <Actor actor={last.actor} /> <span className="muted">·</span> <Time at={last.at} />
    </span>
  );
}

function NewAgentLink() {
  return useCan('write') ? (
    <ButtonLink kind="primary" to="/agents/new">
      New agent
    </ButtonLink>
  ) : null;
}
