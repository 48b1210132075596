import { Link } from '@tanstack/react-router';
import { agentName } from '../../../data/agents.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { USERS_MAX, useAgentsOf } from './provider-data.ts';

/** Lists the agents that use the provider. */
export function ProviderUsers({ name }: { name: string }) {
  const { data: agents, error, refetch } = useAgentsOf(name);
  return (
    <section className="card stack-small" aria-labelledby="provider-users">
      <h2 id="provider-users">Used by</h2>
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {agents === undefined && !error ? <span className="skeleton" /> : null}
      {agents?.length === 0 ? (
        <>
          <p className="muted">
            No agent uses this provider yet. Select it as an agent’s model provider.
          </p>
          <div>
            <ButtonLink to="/agents/new">Create an agent</ButtonLink>
          </div>
        </>
      ) : null}
      <ul className="stack-small">
        {agents?.map((agent) => (
          <li key={agent.id}>
            <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
              {agentName(agent)}
            </Link>
          </li>
        ))}
      </ul>
      {agents?.length === USERS_MAX ? (
        <p className="muted small">Only the newest {USERS_MAX} agents are shown.</p>
      ) : null}
    </section>
  );
}
