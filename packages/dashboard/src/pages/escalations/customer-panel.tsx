import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useConversation } from '../../data/conversations.ts';
import { reasonText, type Escalation } from '../../data/escalations.ts';
import { ok, parley } from '../../data/parley.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';

const EARLIER_MAX = 5;

/** Shows the user, the agent, channel and team of the escalation, and the user's earlier conversations. */
export function CustomerPanel({ escalation }: { escalation: Escalation }) {
  const { data: conversation } = useConversation(escalation.conversation_id);
  const userId = conversation?.user_id ?? null;
  return (
    <Panel label="About this customer" from="88rem">
      <section className="card stack-small" aria-label="Request">
        <h2>{userId === null ? 'Unknown user' : <CustomerLink userId={userId} />}</h2>
        <dl className="facts">
          <dt>Agent</dt>
          <dd>
            <AgentLink id={escalation.agent_id} />
            {conversation ? `, version ${conversation.agent_version}` : null}
          </dd>
          <dt>Channel</dt>
          <dd>{conversation?.channel.replaceAll('_', ' ') ?? '–'}</dd>
          <dt>Reason</dt>
          <dd>{reasonText(escalation.reason)}</dd>
          <dt>Team</dt>
          <dd>{escalation.team ?? '–'}</dd>
          <dt>Started</dt>
          <dd>
            <Time at={conversation?.started_at} />
          </dd>
          <dt>Requested</dt>
          <dd>
            <Time at={escalation.requested_at} />
          </dd>
        </dl>
      </section>
      {userId === null ? null : <Earlier userId={userId} exceptId={escalation.conversation_id} />}
    </Panel>
  );
}

function Earlier({ userId, exceptId }: { userId: string; exceptId: string }) {
  const { data } = useQuery({
    queryKey: ['conversations', 'of-user', userId],
    queryFn: async ({ signal }) => {
      const query = { user_id: userId, limit: EARLIER_MAX + 1 };
      return (await ok(parley.GET('/v1/conversations', { params: { query }, signal }))).data;
    },
  });
  const earlier = data?.filter(({ id }) => id !== exceptId).slice(0, EARLIER_MAX);
  return (
    <section className="card stack-small" aria-label="Earlier conversations">
      <h2>Earlier conversations</h2>
      {earlier?.length === 0 ? <p className="muted">None.</p> : null}
      <ul className="stack-small">
        {earlier?.map(({ id, summary, status, outcome, started_at: at }) => (
          <li key={id}>
            <Link to={`/conversations/${id}`} className="escalation-earlier">
              {summary ?? `Conversation ${id.slice(-6)}`}
            </Link>
            <span className="small muted">
              {outcome ?? status} · <Time at={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
