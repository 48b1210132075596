import { useMe } from '../../data/me.ts';
import { AgentFrame } from '../agents/agent-frame.tsx';
import { Playground } from './playground.tsx';

/** Lets people talk with any version of an agent and see how each reply was generated. */
export function PlaygroundPage() {
  const { scopes } = useMe();
  const missing = (['read', 'write'] as const).filter((scope) => !scopes.includes(scope));
  return (
    <AgentFrame tab="Playground">
      {(declared) =>
        missing.length > 0 ? (
          <p className="card muted">
            Talking requires an API key with the <code>read</code> and <code>write</code> scopes.
            Yours lacks {missing.join(' and ')}.
          </p>
        ) : declared.agent.latest_version === null ? (
          <p className="card muted">This agent has no version yet, so you can’t talk to it.</p>
        ) : (
          <Playground key={declared.agent.id} declared={declared} />
        )
      }
    </AgentFrame>
  );
}
