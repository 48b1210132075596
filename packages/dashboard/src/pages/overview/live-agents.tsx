import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { agentName } from '../../data/agents.ts';
import { ok, parley, type Agent } from '../../data/parley.ts';
import { useStats } from '../../data/stats.ts';
import { count } from '../../ui/figure.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { AgentFlags } from '../agents/agent-state.tsx';

const READ_MAX = 100;
const SHOWN_MAX = 8;

/** Lists the live agents, those with the most conversations first. */
export function LiveAgents() {
  const { data, error, refetch } = useLiveAgents();
  const stats = useStats(1);
  const talks = new Map<string, number>();
  for (const { agent_id: id, conversations } of stats.data?.agents ?? []) {
    talks.set(id, (talks.get(id) ?? 0) + conversations);
  }
  const of = ({ id }: Agent): number => talks.get(id) ?? 0;
  const agents = (data ?? []).toSorted((a, b) => of(b) - of(a));
  return (
    <section className="card stack-small" aria-labelledby="live-agents">
      <div className="spread">
        <h2 id="live-agents">Live agents</h2>
        <span className="muted small">Conversations in the last 24 hours</span>
      </div>
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? <p className="muted">No agent is live.</p> : null}
      <ul className="live-agents">
        {agents.slice(0, SHOWN_MAX).map((agent) => (
          <li key={agent.id}>
            <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
              {agentName(agent)}
            </Link>
            <span className="muted small">version {agent.active_version}</span>
            <AgentFlags agent={agent} />
            {isWithoutModel(agent) ? (
              <Link
                to="/settings/providers/new"
                className="small"
                title="The agent ignores its prompt and only quotes its knowledge."
              >
                no model: connect one
              </Link>
            ) : null}
            <span className="numeric">{count(of(agent))}</span>
          </li>
        ))}
      </ul>
      {agents.length > SHOWN_MAX ? (
        <Link to="/agents" className="small">
          All agents
        </Link>
      ) : null}
    </section>
  );
}

/** Returns true if no model replies for the agent (contract/agents.md#settings-without-effect). */
export function isWithoutModel({ status_message: message }: Agent): boolean {
  return (message ?? '').includes('no effect without a model');
}

export function useLiveAgents() {
  return useQuery({
    queryKey: ['agents', 'live'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: READ_MAX } };
      return (await ok(parley.GET('/v1/agents', { params, signal }))).data;
    },
    select: (agents) => agents.filter(({ active_version: live }) => live !== null),
  });
}
