import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import {
  agentName,
  readAgent,
  useAgentChoices,
  useTakeOver,
  waitingVersion,
} from '../../data/agents.ts';
import { patchAgent } from '../../data/agent-writes.ts';
import type { Source } from '../../data/knowledge.ts';
import { troubleOf, type Agent } from '../../data/parley.ts';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';
import { AgentFlags } from '../agents/agent-state.tsx';

/** Lists the agents that use the source, and lets people add the source to other agents. */
export function SourceUsers({ source }: { source: Source }) {
  const { data: agents } = useAgentChoices();
  const users = agents?.filter((agent) => isUser(agent, source));
  const others = agents?.filter((agent) => !isUser(agent, source) && canTakeSource(agent));
  return (
    <section className="card stack-small" aria-labelledby="source-users">
      <h2 id="source-users">Used by</h2>
      {users ? null : <span className="skeleton" />}
      {users?.length === 0 ? (
        <p className="muted">
          No agent uses this source yet. Add it to an agent, then ask that agent a question.
        </p>
      ) : null}
      <ul className="stack-small">
        {users?.map((agent) => (
          <li key={agent.id} className="spread">
            <span className="row">
              <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
                {agentName(agent)}
              </Link>
              <AgentFlags agent={agent} />
            </span>
            <AskLink agent={agent} />
          </li>
        ))}
      </ul>
      {agents?.length === 0 ? (
        <ButtonLink to="/agents/new">Create an agent</ButtonLink>
      ) : others?.length ? (
        <AddTo source={source} agents={others} />
      ) : null}
    </section>
  );
}

/** Links to the playground with the newest version, because the live version may not use the source yet. */
function AskLink({ agent }: { agent: Agent }) {
  const { latest_version: latest, active_version: live } = agent;
  return (
    <ButtonLink
      size="small"
      to="/agents/$agentId/playground"
      params={{ agentId: agent.id } as never}
      search={(latest === live ? {} : { version: String(latest) }) as never}
    >
      Ask it<span className="unseen"> ({agentName(agent)})</span>
    </ButtonLink>
  );
}

function AddTo({ source, agents }: { source: Source; agents: readonly Agent[] }) {
  const [chosen, setChosen] = useState('');
  const takeOver = useTakeOver();
  const toast = useToast();
  const adding = useMutation({
    mutationFn: async () => {
      const read = await readAgent(chosen);
      const { source_ids: ids, source_names: names = [] } = read.agent.knowledge ?? {};
      // The API accepts either IDs or names of sources, but not both.
      const knowledge = ids?.length
        ? { source_ids: [...ids, source.id] }
        : { source_names: [...names, source.name] };
      return patchAgent(read, { knowledge });
    },
    onSuccess: (after) => {
      takeOver(after);
      setChosen('');
      const draft = waitingVersion(after.agent);
      toast({
        text: `Added to ${agentName(after.agent)}${draft === null ? '' : `, as version ${draft}, a draft`}`,
      });
    },
    onError: (error) => toast({ text: troubleOf(error).detail, tone: 'bad' }),
  });
  return (
    <div className="asking">
      <select aria-label="Agent" value={chosen} onChange={({ target }) => setChosen(target.value)}>
        <option value="">Choose an agent</option>
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agentName(agent)}
          </option>
        ))}
      </select>
      <ActButton
        needs="write"
        disabled={chosen === ''}
        isBusy={adding.isPending}
        onClick={() => adding.mutate()}
      >
        Add
      </ActButton>
    </div>
  );
}

function isUser({ knowledge }: Agent, { id, name, metadata }: Source): boolean {
  const { all, selector, source_ids: ids = [], source_names: names = [] } = knowledge ?? {};
  if (all) return true;
  if (selector) {
    const pairs = Object.entries(selector.match_metadata);
    return pairs.every(([key, value]) => metadata[key] === value);
  }
  return ids.includes(id) || names.includes(name);
}

/** Returns whether the agent can be changed here and lists its sources individually. */
function canTakeSource({ managed_by: owner, knowledge }: Agent): boolean {
  return owner === 'api' && !knowledge?.selector;
}
