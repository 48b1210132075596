import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { agentName } from '../../data/agents.ts';
import { ok, parley, type Agent } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useLiveAgents } from './live-agents.tsx';

const HIDDEN = 'parley-first-steps';
/** User id of the sample conversations that `parley start` creates. */
const SAMPLE_USER = 'demo';
const SAMPLES_MAX = 3;

/** Shows the first steps as long as there are only the sample conversations. */
export function FirstSteps() {
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(HIDDEN) !== null);
  const isNew = useIsNew();
  const { data: agents } = useLiveAgents();
  if (isHidden || !isNew || !agents) return null;
  return (
    <section className="card stack-small first-steps" aria-labelledby="first-steps">
      <div className="spread">
        <h2 id="first-steps">First steps</h2>
        <Button
          kind="quiet"
          size="small"
          onClick={() => {
            localStorage.setItem(HIDDEN, '1');
            setIsHidden(true);
          }}
        >
          Hide
        </Button>
      </div>
      <Steps agent={agents.find(({ name }) => name === 'support') ?? agents[0]} />
    </section>
  );
}

function Steps({ agent }: { agent: Agent | undefined }) {
  const canWrite = useCan('write');
  if (!agent) {
    return (
      <div className="row">
        <p>An agent is a prompt that people can talk to.</p>
        {canWrite ? (
          <ButtonLink kind="primary" to="/agents/new">
            Create the first agent
          </ButtonLink>
        ) : null}
      </div>
    );
  }
  const params = { agentId: agent.id };
  return (
    <div className="row">
      <ButtonLink kind="primary" to="/agents/$agentId/playground" params={params as never}>
        Talk with {agentName(agent)}
      </ButtonLink>
      <span className="muted">then</span>
      <Link to="/agents/$agentId" params={params}>
        read its prompt
      </Link>
      <span className="muted">and</span>
      <Link to="/webhooks/new">receive its events</Link>
    </div>
  );
}

function useIsNew(): boolean {
  const { data } = useQuery({
    queryKey: ['conversations', 'first'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: SAMPLES_MAX } };
      return (await ok(parley.GET('/v1/conversations', { params, signal }))).data;
    },
  });
  return (
    data !== undefined &&
    data.length < SAMPLES_MAX &&
    data.every(({ user_id: user }) => user === SAMPLE_USER)
  );
}
