import type { Schemas } from '../../data/parley.ts';
import { useList } from '../../data/use-list.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { counted } from '../../ui/figure.tsx';
import { Filters, SelectFilter, useFilters } from '../../ui/filters.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { durationText, Time } from '../../ui/time.tsx';
import { CallStatus } from '../calls/call-status.tsx';
import { ConversationState } from '../conversations/conversation-state.tsx';

type Item = Schemas['CustomerActivity'];

/** Lists the customer's conversations and unanswered calls, newest first. */
export function Activity({ userId }: { userId: string }) {
  const [{ test }] = useFilters();
  const list = useList('conversations', '/v1/customers/{user_id}/activity', {
    path: { user_id: userId },
    query: { test },
  });
  return (
    <section className="stack-small">
      <div className="spread">
        <h2>Conversations and calls</h2>
        <Filters>
          <SelectFilter
            name="test"
            label="Test conversations"
            any="hidden"
            options={[{ value: 'true', name: 'shown' }]}
          />
        </Filters>
      </div>
      <Table
        label="Conversations and calls"
        list={list}
        columns={COLUMNS}
        href={({ id, type }) => `/${type}s/${id}`}
        empty={<p>No conversations or calls. Test conversations are hidden.</p>}
        narrow={({ created }) => <Time at={created} />}
      />
    </section>
  );
}

const COLUMNS: readonly Column<Item>[] = [
  { name: 'Summary', cell: summaryOf },
  { name: 'Kind', cell: kindOf, width: '6rem', isWide: 'very' },
  { name: 'Outcome', cell: outcomeOf, width: '9rem' },
  {
    name: 'Escalations',
    cell: ({ escalations: [last, ...others] }) =>
      last === undefined
        ? '–'
        : others.length === 0
          ? last.status.replaceAll('_', ' ')
          : counted(others.length + 1, 'escalation'),
    width: '8rem',
    isWide: true,
  },
  {
    name: 'CSAT',
    cell: ({ conversation }) => conversation?.csat ?? '–',
    width: '4rem',
    align: 'end',
    isWide: true,
  },
  {
    name: 'Duration',
    cell: ({ conversation, call }) => {
      const sec = (conversation ?? call)?.duration_sec ?? null;
      return sec === null ? '–' : durationText(sec);
    },
    width: '6rem',
    align: 'end',
    isWide: 'very',
  },
  {
    name: 'Agent',
    cell: ({ conversation, call }) => {
      const id = (conversation ?? call)?.agent_id;
      return id === undefined ? '–' : <AgentLink id={id} />;
    },
    width: '10rem',
    isWide: 'very',
  },
  { name: 'Started', cell: ({ created }) => <Time at={created} />, width: '8rem', isWide: true },
];

/**
 * Returns the summary of the conversation or, while it is in progress, the summary of its last escalation. Describes an
 * unanswered call by its two numbers.
 */
function summaryOf({ conversation, call, escalations: [escalation] }: Item): string {
  if (conversation === null) return `Call ${call?.from ?? ''} → ${call?.to ?? 'agent'}`;
  const summary = conversation.summary ?? escalation?.summary;
  if (summary) return summary;
  return conversation.ended_at === null ? 'In progress' : 'No summary';
}

function kindOf({ conversation }: Item): string {
  return conversation?.channel.replaceAll('_', ' ') ?? 'call';
}

function outcomeOf({ conversation, call }: Item) {
  if (conversation) return <ConversationState conversation={conversation} />;
  return call ? <CallStatus call={call} /> : null;
}
