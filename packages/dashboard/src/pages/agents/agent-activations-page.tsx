import { Link } from '@tanstack/react-router';
import { useHistory, type Activation, type Declared } from '../../data/agents.ts';
import { Actor } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { AgentFrame } from './agent-frame.tsx';

/** Shows the log of activations: which version went live when, who activated it and why. Nobody can change the log. */
export function AgentActivationsPage() {
  return (
    <AgentFrame tab="Release history">{({ agent }) => <Activations agent={agent} />}</AgentFrame>
  );
}

type Agent = Declared['agent'];

function Activations({ agent }: { agent: Agent }) {
  const list = useHistory('/v1/agents/{id}/activations', agent.id);
  if (list.error) return <TroubleNote error={list.error} onRetry={list.retry} />;
  if (list.isLoading) return <p className="muted">Loading</p>;
  if (list.rows.length === 0) {
    return <p className="card muted">No version of this agent has been live yet.</p>;
  }
  return (
    <section className="card stack" aria-label="Release history">
      <ol className="agent-line">
        {list.rows.map((row, at) => (
          <li key={row.id} className={at === 0 ? 'agent-line-live' : undefined}>
            <Line agent={agent} activation={row} isLive={at === 0} />
          </li>
        ))}
      </ol>
      {list.hasMore ? (
        <Button isBusy={list.isLoadingMore} onClick={list.loadMore}>
          Show earlier
        </Button>
      ) : null}
    </section>
  );
}

function Line({
  agent,
  activation,
  isLive,
}: {
  agent: Agent;
  activation: Activation;
  isLive: boolean;
}) {
  const { action, from_version: from, to_version: to, actor, reason, at, handoffs } = activation;
  return (
    <>
      <div className="row">
        <strong>
          {action === 'rolled_back' ? 'Rolled back' : 'Published'}{' '}
          {from === null ? `version ${to}` : `${from} → ${to}`}
        </strong>
        {isLive ? <Status tone="ok">live</Status> : null}
        <span className="muted small">
          by <Actor actor={actor} />, <Time at={at} />
        </span>
        {from === null ? null : (
          <Link
            className="small"
            to="/agents/$agentId/versions"
            params={{ agentId: agent.id }}
            search={{ from: String(from), to: String(to) }}
            aria-label={`What changed from version ${from} to ${to}`}
          >
            What changed
          </Link>
        )}
      </div>
      {reason === null ? null : <p className="preserved">{reason}</p>}
      {handoffs.length === 0 ? null : (
        <p className="small muted">
          Hands over to{' '}
          {handoffs
            .map(({ agent: name, version }) =>
              version === null ? `${name} (its first version)` : `${name} version ${version}`,
            )
            .join(', ')}
        </p>
      )}
    </>
  );
}
