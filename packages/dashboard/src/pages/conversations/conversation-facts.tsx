import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { Conversation } from '../../data/conversations.ts';
import { useAgentNames } from '../../data/names.ts';
import { ok, parley } from '../../data/parley.ts';
import { decimal } from '../../ui/figure.tsx';
import { shortId } from '../../ui/copy-id.tsx';
import { Time, Waiting, durationText } from '../../ui/time.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';

export function ConversationFacts({ conversation }: { conversation: Conversation }) {
  const names = useAgentNames();
  const { agent_id: agentId, csat, csat_predicted: predicted } = conversation;
  return (
    <div className="card stack">
      {conversation.summary ? (
        <section className="stack-small">
          <h2>Summary</h2>
          <p className="preserved">{conversation.summary}</p>
        </section>
      ) : null}
      <dl className="facts">
        <dt>Agent</dt>
        <dd>
          <Link to={`/agents/${agentId}`}>{names.get(agentId) ?? shortId(agentId)}</Link>, version{' '}
          {conversation.agent_version}
        </dd>
        <dt>User</dt>
        <dd>
          <CustomerLink userId={conversation.user_id} />
        </dd>
        <dt>Channel</dt>
        <dd>
          {conversation.channel.replaceAll('_', ' ')}
          {conversation.call_id ? (
            <>
              {' · '}
              <Link to={`/calls/${conversation.call_id}`}>the call</Link>
            </>
          ) : null}
        </dd>
        <Escalations conversationId={conversation.id} />
        <dt>Started</dt>
        <dd>
          <Time at={conversation.started_at} />
        </dd>
        <dt>Duration</dt>
        <dd className="numeric">
          {conversation.duration_sec === null ? (
            <Waiting at={conversation.started_at} />
          ) : (
            durationText(conversation.duration_sec)
          )}
        </dd>
        {conversation.ended_reason ? (
          <>
            <dt>End reason</dt>
            <dd>{conversation.ended_reason.replaceAll('_', ' ')}</dd>
          </>
        ) : null}
        <dt>CSAT</dt>
        <dd>
          {csat ?? '–'} <span className="muted">predicted {decimal(predicted)}</span>
        </dd>
        <JudgementFacts judgement={conversation.judgement} />
        {Object.entries(conversation.metadata).map(([name, value]) => (
          <Pair key={name} name={name} value={value} />
        ))}
      </dl>
      {Object.keys(conversation.variables).length > 0 ? (
        <section className="stack-small">
          <h2>Variables</h2>
          <dl className="facts">
            {Object.entries(conversation.variables).map(([name, value]) => (
              <Pair
                key={name}
                name={name}
                value={typeof value === 'string' ? value : JSON.stringify(value)}
              />
            ))}
          </dl>
        </section>
      ) : null}
    </div>
  );
}

/** Lists the escalations of the conversation, each with its status. */
function Escalations({ conversationId }: { conversationId: string }) {
  const { data = [] } = useQuery({
    queryKey: ['escalations', 'of', conversationId],
    queryFn: async ({ signal }) => {
      const query = { conversation_id: conversationId, test: true };
      return (await ok(parley.GET('/v1/escalations', { params: { query }, signal }))).data;
    },
  });
  if (data.length === 0) return null;
  return (
    <>
      <dt>{data.length === 1 ? 'Escalation' : 'Escalations'}</dt>
      {data.map(({ id, status, accepted_by: by }) => (
        <dd key={id}>
          <Link to={`/escalations/${id}`}>{status.replaceAll('_', ' ')}</Link>
          {by ? <span className="muted"> by {by.name}</span> : null}
        </dd>
      ))}
    </>
  );
}

/** Shows the model's judgement next to the rule-based one. */
function JudgementFacts({ judgement }: Pick<Conversation, 'judgement'>) {
  if (!judgement) return null;
  const { topics, open_questions: open, by_rule: rule, error } = judgement;
  if (error) {
    return (
      <>
        <dt>Judged</dt>
        <dd>
          by rule alone <span className="muted">{error.detail}</span>
        </dd>
      </>
    );
  }
  return (
    <>
      {topics.length > 0 ? (
        <>
          <dt>Topics</dt>
          <dd>{topics.join(', ')}</dd>
        </>
      ) : null}
      {open.length > 0 ? (
        <>
          <dt>Open questions</dt>
          {open.map((question) => (
            <dd key={question}>{question}</dd>
          ))}
        </>
      ) : null}
      <dt>Judged</dt>
      <dd>
        by {judgement.model}{' '}
        <span className="muted">
          by rule: {rule.outcome}, {decimal(rule.csat_predicted)}
        </span>
      </dd>
    </>
  );
}

function Pair({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="mono">{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
