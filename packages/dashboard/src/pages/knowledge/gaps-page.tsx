import { useGaps } from '../../data/knowledge.ts';
import { useAgentNames } from '../../data/names.ts';
import { questionsOf, type Question } from '../../data/questions.ts';
import type { List } from '../../data/use-list.ts';
import { count, decimal } from '../../ui/figure.tsx';
import { Filters, SelectFilter, useFilters } from '../../ui/filters.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { KnowledgeFrame } from './knowledge-frame.tsx';

/** Lists the questions without an answer, most frequently asked first. */
export function GapsPage() {
  return (
    <KnowledgeFrame title="Gaps">
      <GapList />
    </KnowledgeFrame>
  );
}

/** Question of a gap whose conversation was erased (contract/conversations.md#erasure). Nobody can answer it. */
const ERASED = '[erased]';

function GapList() {
  const [{ status: given, agent, asked }] = useFilters();
  const status = given === 'resolved' ? 'resolved' : 'open';
  const names = useAgentNames();
  const { data, error, isPending, refetch } = useGaps(status, {
    agentId: agent,
    days: asked === 'week' ? 7 : undefined,
  });
  const list: List<Question> = {
    rows: data ? questionsOf(data.gaps.filter(({ question }) => question !== ERASED)) : [],
    isLoading: isPending,
    error,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => undefined,
    retry: () => void refetch(),
  };
  return (
    <>
      <Filters>
        <SelectFilter
          name="status"
          label="Status"
          any="open"
          options={[{ value: 'resolved', name: 'resolved' }]}
        />
        <SelectFilter
          name="asked"
          label="Asked"
          any="ever"
          options={[{ value: 'week', name: 'in the last 7 days' }]}
        />
        <SelectFilter
          name="agent"
          label="Agent"
          options={[...names].map(([value, name]) => ({ value, name }))}
        />
      </Filters>
      <Table
        label={status === 'open' ? 'Questions without an answer' : 'Closed questions'}
        list={list}
        columns={columnsOf(names)}
        href={({ id }) => `/knowledge/gaps/${id}`}
        narrow={({ lastAskedAt }) => <Time at={lastAskedAt} />}
        empty={
          status === 'open'
            ? 'No open questions. Questions that an agent cannot answer appear here.'
            : 'No gap has been closed yet.'
        }
      />
      {data?.hasMore ? (
        <p className="small muted">This list covers only the 1,000 most frequent gaps.</p>
      ) : null}
    </>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<Question>[] {
  return [
    { name: 'Question', cell: ({ text }) => text, width: 'minmax(0, 3fr)' },
    {
      name: 'Agents',
      cell: ({ gaps }) => agentsText(gaps, names),
      width: 'minmax(0, 1.3fr)',
      isWide: true,
    },
    { name: 'Asked', cell: ({ count: asked }) => count(asked), width: '4.5rem', align: 'end' },
    {
      name: 'Best score',
      cell: ({ topScore }) => decimal(topScore, 2),
      width: '6.5rem',
      align: 'end',
      isWide: true,
    },
    {
      name: 'Last asked',
      cell: ({ lastAskedAt }) => <Time at={lastAskedAt} />,
      width: '8rem',
      isWide: true,
    },
  ];
}

function agentsText(gaps: Question['gaps'], names: ReadonlyMap<string, string>): string {
  const agents = new Set(gaps.map(({ agent_id: id }) => names.get(id) ?? id));
  return [...agents].join(', ');
}
