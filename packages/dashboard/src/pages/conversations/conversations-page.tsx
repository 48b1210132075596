import { useAgentNames } from '../../data/names.ts';
import type { ListedConversation } from '../../data/conversations.ts';
import { useCan } from '../../data/me.ts';
import { TOTAL_MAX, useTotal } from '../../data/use-list.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { shortId } from '../../ui/copy-id.tsx';
import { useFilters, type Search } from '../../ui/filters.tsx';
import { count, decimal } from '../../ui/figure.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';
import { ConversationFilters } from './conversation-filters.tsx';
import { ExportAll } from './export-all.tsx';
import { ConversationState } from './conversation-state.tsx';
import { Said, SummaryText } from './said.tsx';
import { useConversations } from './use-conversations.ts';
import './conversations.css';

/** Lists all conversations with their last message, and filters them by text, user and other fields. */
export function ConversationsPage() {
  const [search] = useFilters();
  return (
    <Page title="Conversations" actions={useCan('read') ? <ExportAll search={search} /> : null}>
      <Needing scope="read">
        <Conversations />
      </Needing>
    </Page>
  );
}

function Conversations() {
  const [search, set] = useFilters();
  const names = useAgentNames();
  const list = useConversations(search);
  const total = useTotal('/v1/conversations', withoutOrder(search));
  const filters = Object.keys(withoutOrder(search));
  const none = Object.fromEntries(filters.map((name) => [name, undefined]));
  const isOldestFirst = search['order'] === 'oldest';
  const user = search['user_id'] ?? list.rows.find((row) => row.user_id === search['q'])?.user_id;
  const order = {
    isOldestFirst,
    reverse: () => set({ order: isOldestFirst ? undefined : 'oldest' }),
  };
  return (
    <>
      <ConversationFilters />
      {total === undefined || list.rows.length === 0 ? null : (
        <p className="small muted">
          {totalText(total, filters.length > 0)}
          {user ? (
            <>
              {' · '}Export or erase all data about <CustomerLink userId={user} />
            </>
          ) : null}
        </p>
      )}
      <Table
        label="Conversations"
        list={list}
        columns={columnsOf({ names, sought: search['q'], order })}
        rowPx={ROW_PX}
        href={hrefOf}
        empty={
          filters.length > 0 ? (
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

/** Height of a row, which has two lines. */
const ROW_PX = 60;

/** Returns the address of a conversation. It points to the turn that matches the search, if there is one. */
function hrefOf({ id, match }: ListedConversation): string {
  const turn = match?.index ?? null;
  return `/conversations/${id}${turn === null ? '' : `#turn-${turn}`}`;
}

function withoutOrder(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([name]) => name !== 'order'));
}

function totalText(total: number, isFiltered: boolean): string {
  const conversations = total === 1 ? 'conversation' : 'conversations';
  const number = total === TOTAL_MAX ? `${count(total)} or more` : count(total);
  return isFiltered ? `${number} matching ${conversations}` : `${number} ${conversations}`;
}

function columnsOf({
  names,
  sought,
  order,
}: {
  names: ReadonlyMap<string, string>;
  sought: string | undefined;
  order: NonNullable<Column<ListedConversation>['order']>;
}): readonly Column<ListedConversation>[] {
  return [
    {
      name: 'Customer',
      cell: ({ user_id, id, call_id }) => (
        <>
          {user_id ?? <span className="mono">{shortId(id)}</span>}
          {call_id ? <span className="muted small"> by call</span> : null}
        </>
      ),
      below: (row) => <Said conversation={row} sought={sought} />,
      width: 'minmax(0, 2fr)',
    },
    {
      name: 'Summary',
      cell: (row) => <SummaryText conversation={row} />,
      width: 'minmax(0, 2fr)',
      isWide: 'very',
    },
    {
      name: 'Agent',
      width: 'minmax(0, 1.2fr)',
      cell: ({ agent_id, agent_version }) => (
        <>
          {names.get(agent_id) ?? shortId(agent_id)}{' '}
          <span className="muted small">v{agent_version}</span>
        </>
      ),
      isWide: true,
    },
    { name: 'State', cell: (row) => <ConversationState conversation={row} />, width: '8.5rem' },
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
      width: '4.5rem',
      align: 'end',
      isWide: true,
    },
    {
      name: 'Started',
      cell: ({ started_at }) => <Time at={started_at} />,
      width: '7.5rem',
      isWide: true,
      order,
    },
  ];
}
