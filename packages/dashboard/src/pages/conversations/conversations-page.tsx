import { useAgentNames } from '../../data/names.ts';
import type { Conversation } from '../../data/conversations.ts';
import { useList } from '../../data/use-list.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { shortId } from '../../ui/copy-id.tsx';
import { useFilters } from '../../ui/filters.tsx';
import { count, decimal } from '../../ui/figure.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time, durationText } from '../../ui/time.tsx';
import { ConversationFilters } from './conversation-filters.tsx';
import { ExportAll } from './export-all.tsx';
import { ConversationState } from './conversation-state.tsx';
import './conversations.css';

const SEARCHED_MS = 5_000;

/** Lists all conversations, newest first, with search by words, user and other fields. */
export function ConversationsPage() {
  return (
    <Page title="Conversations">
      <Needing scope="read">
        <Conversations />
      </Needing>
    </Page>
  );
}

function Conversations() {
  const [search, set] = useFilters();
  const names = useAgentNames();
  // A text search reads transcripts page by page, so it is not repeated for every event.
  const isSearch = search['q'] !== undefined;
  const list = useList(isSearch ? 'search' : 'conversations', '/v1/conversations', {
    query: search,
    ...(isSearch && { refreshMs: () => SEARCHED_MS }),
  });
  const isFiltered = Object.keys(search).length > 0;
  const none = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
  return (
    <>
      <div className="conversations-head">
        <ConversationFilters />
        <ExportAll search={search} />
      </div>
      <Table
        label="Conversations"
        list={list}
        columns={columnsOf(names)}
        href={({ id }) => `/conversations/${id}`}
        empty={
          isFiltered ? (
            <>
              <p>No conversations match these filters.</p>
              <Button onClick={() => set(none)}>Show all</Button>
            </>
          ) : (
            <>
              <p>No conversations yet. Try out an agent in its playground.</p>
              <ButtonLink to="/agents">Go to agents</ButtonLink>
            </>
          )
        }
      />
    </>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<Conversation>[] {
  return [
    {
      name: 'User',
      cell: ({ user_id, id, call_id }) => (
        <>
          {user_id ?? <span className="mono">{shortId(id)}</span>}
          {call_id ? <span className="muted small"> by call</span> : null}
        </>
      ),
    },
    {
      name: 'Agent',
      cell: ({ agent_id, agent_version }) => (
        <>
          {names.get(agent_id) ?? shortId(agent_id)}{' '}
          <span className="muted small">v{agent_version}</span>
        </>
      ),
      isWide: true,
    },
    { name: 'State', cell: (row) => <ConversationState conversation={row} />, width: '9rem' },
    {
      name: 'Turns',
      cell: ({ turn_count }) => count(turn_count),
      width: '5rem',
      align: 'end',
      isWide: true,
    },
    {
      name: 'Duration',
      cell: ({ duration_sec }) => (duration_sec === null ? '–' : durationText(duration_sec)),
      width: '6rem',
      align: 'end',
      isWide: true,
    },
    {
      name: 'CSAT',
      cell: ({ csat, csat_predicted }) =>
        csat === null ? (
          <span className="muted" title="Predicted">
            {decimal(csat_predicted)}
          </span>
        ) : (
          <span title="Rated by the user">{csat}</span>
        ),
      width: '5rem',
      align: 'end',
      isWide: true,
    },
    { name: 'Started', cell: ({ started_at }) => <Time at={started_at} />, width: '8rem' },
  ];
}
